"""The score: bits for each symbol, compared with a listener who knows both tongues."""

import math

SMALLEST = 2.0**-12


def scores(answers, truth):
    """One for each window: the bits of the knowing listener minus yours, for the symbol that came next."""
    odds = answers["odds"]
    if not isinstance(odds, list) or len(odds) != len(truth["next"]):
        raise ValueError(f"expected odds for {len(truth['next'])} windows")
    values = []
    for row, symbol, known in zip(odds, truth["next"], truth["known"], strict=True):
        if not isinstance(row, list) or len(row) != len(known):
            raise ValueError(f"expected {len(known)} odds for each window")
        if not all(type(value) in (int, float) and 0 <= value <= 1.001 for value in row):
            raise ValueError(f"{str(row)[:60]} are not odds")
        if abs(math.fsum(row) - 1) > 1e-3:
            raise ValueError(f"odds add up to {math.fsum(row):.6g}, not to 1")
        values.append(math.log2(max(row[symbol], SMALLEST)) - math.log2(max(known[symbol], SMALLEST)))
    return values
