"""The score: bits for each symbol, compared with a listener who knows the law."""

import math

SMALLEST = 2.0**-12


def scores(answers, truth):
    """One for each window: the bits of the listener minus yours. An example has only the mean of the listener."""
    odds, right, judge = answers["odds"], truth["next"], truth["judge"]
    if not isinstance(odds, list) or len(odds) != len(right):
        raise ValueError(f"expected odds for {len(right)} windows")
    judge = judge if isinstance(judge, list) else [judge] * len(right)
    values = []
    for row, symbol, bits in zip(odds, right, judge, strict=True):
        if not isinstance(row, list) or len(row) != 4:
            raise ValueError("expected four odds for each window")
        if not all(type(value) in (int, float) and 0 <= value <= 1.001 for value in row):
            raise ValueError(f"{str(row)[:60]} are not odds")
        if abs(math.fsum(row) - 1) > 1e-3:
            raise ValueError(f"odds add up to {math.fsum(row):.6g}, not to 1")
        values.append(bits + math.log2(max(row[symbol], SMALLEST)))
    return values
