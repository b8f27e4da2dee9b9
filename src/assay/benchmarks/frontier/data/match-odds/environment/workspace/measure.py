"""The score: bits for each answer, compared with the best known program on the same games."""

import math

SMALLEST = 2.0**-10


def bits_of(odds, chances):
    """The bits that a result needs with these odds, on the mean over both results with their true chances."""
    return [
        -chance * math.log2(max(value, SMALLEST)) - (1 - chance) * math.log2(max(1 - value, SMALLEST))
        for value, chance in zip(odds, chances, strict=True)
    ]


def scores(answers, truth):
    """One for each asked game: the bits of the best known program minus yours.

    An example has the results instead of the true chances, and only the mean of the best known program.
    """
    odds, chances, known = answers["odds"], truth["won"], truth["known"]
    if not isinstance(odds, list) or len(odds) != len(chances):
        raise ValueError(f"expected odds for {len(chances)} games")
    if not all(type(value) in (int, float) and 0 <= value <= 1 for value in odds):
        raise ValueError("expected numbers from 0 to 1")
    known = known if isinstance(known, list) else [known] * len(chances)
    return [best - bits for best, bits in zip(known, bits_of(odds, chances), strict=True)]
