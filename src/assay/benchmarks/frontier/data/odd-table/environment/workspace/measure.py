"""The score: bits for each answer, compared with a judge who knows the law."""

import math

SMALLEST = 2.0**-10


def scores(answers, truth):
    """One for each asked row: the bits of the judge minus yours. An example has only the mean of the judge."""
    odds, right, judge = answers["odds"], truth["yes"], truth["judge"]
    if not isinstance(odds, list) or len(odds) != len(right):
        raise ValueError(f"expected odds for {len(right)} rows")
    if not all(type(value) in (int, float) and 0 <= value <= 1 for value in odds):
        raise ValueError("expected numbers from 0 to 1")
    judge = judge if isinstance(judge, list) else [judge] * len(right)
    chances = [value if yes else 1 - value for value, yes in zip(odds, right, strict=True)]
    return [bits + math.log2(max(chance, SMALLEST)) for chance, bits in zip(chances, judge, strict=True)]
