"""The score: bits for each asked symbol, compared with the best known program on the same texts."""

import math

SMALLEST = 2.0**-12


def bits_of(odds, chances):
    """The bits that a symbol needs with these odds, on the mean over the symbols with their true chances.

    Odds of one text are divided by their sum.
    """
    bits = []
    for row, true in zip(odds, chances, strict=True):
        total = math.fsum(row)
        logs = [math.log2(max(value / total, SMALLEST)) for value in row]
        bits.append(-math.fsum(chance * log for chance, log in zip(true, logs, strict=True)))
    return bits


def scores(answers, truth):
    """One for each text: the bits of the best known program minus yours."""
    odds, chances, size = answers["odds"], truth["chances"], truth["texts"]
    if not isinstance(odds, list) or len(odds) * size != len(chances):
        raise ValueError(f"expected odds for {len(chances) // size} sources")
    if not all(isinstance(rows, list) and len(rows) == size for rows in odds):
        raise ValueError(f"expected odds for {size} texts of each source")
    odds = [row for rows in odds for row in rows]
    for row in odds:
        if not isinstance(row, list) or len(row) != 4:
            raise ValueError("expected four odds for each text")
        if not all(type(value) in (int, float) and 0 <= value <= 1.001 for value in row):
            raise ValueError(f"{str(row)[:60]} are not odds")
        if abs(math.fsum(row) - 1) > 1e-3:
            raise ValueError(f"odds add up to {math.fsum(row):.6g}, not to 1")
    return [best - bits for best, bits in zip(truth["known"], bits_of(odds, chances), strict=True)]
