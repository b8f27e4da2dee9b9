"""Draws rules of few bits, with wrong answers among the given ones: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import json
import os
from pathlib import Path

import numpy as np

BITS, RULES, GIVEN, ASKED = 24, 120, 80, 200
WRONG = 0.12


def odd_sum(bits, random):
    """Whether the sum of three to five bits is odd."""
    return bits[:, : random.integers(3, 6)].sum(axis=1) % 2


def most_of_five(bits, random):
    """Whether at least three of five bits are one."""
    return bits[:, :5].sum(axis=1) >= 3


def chosen_bit(bits, random):
    """The second or the third bit, as the first one says; turned around by a fourth."""
    return np.where(bits[:, 0] == 1, bits[:, 1], bits[:, 2]) ^ bits[:, 3]


def two_pairs(bits, random):
    """Whether just one of two pairs of bits has two given values."""
    wanted = random.integers(0, 2, 4)
    same = bits[:, :4] == wanted
    return (same[:, 0] & same[:, 1]) ^ (same[:, 2] & same[:, 3])


def larger(bits, random):
    """Whether one number of two bits is larger than another."""
    return 2 * bits[:, 0] + bits[:, 1] > 2 * bits[:, 2] + bits[:, 3]


FAMILIES = [odd_sum, most_of_five, chosen_bit, two_pairs, larger]


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    bits = random.integers(0, 2, (GIVEN + ASKED, BITS))
    answers = []
    for _ in range(RULES):
        family = FAMILIES[random.integers(len(FAMILIES))]
        exact = family(bits[:, random.permutation(BITS)], random).astype(int) ^ random.integers(0, 2)
        answers.append(exact)
    answers = np.array(answers)
    noisy = answers ^ (random.random(answers.shape) < WRONG)
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    rows = ["".join(map(str, row)) for row in bits.tolist()]
    given = ["".join(map(str, row)) for row in noisy[:, :GIVEN].astype(int).tolist()]
    problem = {"given": rows[:GIVEN], "answers": given, "asked": rows[GIVEN:]}
    Path("workspace/problem.json").write_text(json.dumps(problem))
    exact = ["".join(map(str, row)) for row in answers[:, GIVEN:].tolist()]
    Path("truth/truth.json").write_text(json.dumps({"answers": exact}))


if __name__ == "__main__":
    main()
