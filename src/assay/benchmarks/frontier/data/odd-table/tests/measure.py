"""The score: bits for each answer, compared with the best known program on the same tables."""

import math

SMALLEST = 2.0**-10


def bits_of(odds, chances):
    """The mean bits for an answer of a table with these odds, over both answers with their true chances."""
    bits = [
        -chance * math.log2(max(value, SMALLEST)) - (1 - chance) * math.log2(max(1 - value, SMALLEST))
        for value, chance in zip(odds, chances, strict=True)
    ]
    return math.fsum(bits) / len(bits)


def scores(answers, truth):
    """One for each table: the bits of the best known program minus yours.

    An example has the answers instead of the true chances.
    """
    odds, chances, known = answers["odds"], truth["yes"], truth["known"]
    if not isinstance(odds, list) or len(odds) != len(chances):
        raise ValueError(f"expected odds for {len(chances)} tables")
    for values, true in zip(odds, chances, strict=True):
        if not isinstance(values, list) or len(values) != len(true):
            raise ValueError(f"expected odds for {len(true)} rows of each table")
        if not all(type(value) in (int, float) and 0 <= value <= 1 for value in values):
            raise ValueError("expected numbers from 0 to 1")
    return [best - bits_of(*pair) for best, *pair in zip(known, odds, chances, strict=True)]
