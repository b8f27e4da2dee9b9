"""The score: the bits that a program saves, compared with the bits that the best known program saves."""

import base64
import math

import numpy as np

SMALLEST = 2.0**-16


def checked(line):
    """The probabilities in a line of serve.py: 256 finite numbers, none negative, with the sum 1."""
    try:
        chances = np.frombuffer(base64.b64decode(line.strip(), validate=True), dtype="<f4").astype(float)
    except ValueError:
        raise ValueError("expected a line of base64 with 256 numbers of four bytes") from None
    if len(chances) != 256:
        raise ValueError(f"expected 256 probabilities, got {len(chances)}")
    if not np.isfinite(chances).all() or (chances < 0).any() or abs(chances.sum() - 1) > 1e-3:
        raise ValueError("expected finite probabilities that are not negative and add up to 1")
    return chances / chances.sum()


def plain_bits(stream):
    """The bits of a model of order 2 that falls back to orders 1 and 0."""
    counts, bits, last = {}, 0.0, b"\n\n"
    for byte in stream:
        chance, tables = 1 / 256, [counts.setdefault((size, last[2 - size :]), {}) for size in range(3)]
        for table in tables:
            if table:
                chance = (table.get(byte, 0) + 0.5 * len(table) * chance) / (sum(table.values()) + 0.5 * len(table))
            table[byte] = table.get(byte, 0) + 1
        bits -= math.log2(chance)
        last = last[1:] + bytes([byte])
    return bits


def saved(bits, plain, known):
    """The score of one stream: 0 for the plain model, 1 for the best known program."""
    return (plain - bits) / (plain - known)
