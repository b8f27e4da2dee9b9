"""Draws matrices of zeros and ones, and how many additions a known rule needs: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import random
from pathlib import Path

import numpy as np

MATRICES, SIZE, RUNS = 16, 16, 6
SHARE = 0.5


def matrix(source):
    """Distinct rows with at least two ones each."""
    rows = []
    while len(rows) < SIZE:
        row = [int(source.random() < SHARE) for _ in range(SIZE)]
        if sum(row) >= 2 and row not in rows:
            rows.append(row)
    return rows


def known_rule(rows, source):
    """How many additions the rule of Boyar and Peralta needs: the sum that brings all rows nearest, ties at random."""
    left = np.array(sorted({sum(bit << place for place, bit in enumerate(row)) for row in rows}))
    every = np.arange(1 << SIZE)
    near = np.bitwise_count(every).astype(np.int8)
    signals = 1 << np.arange(SIZE)
    while len(left):
        sums = (signals[:, None] ^ signals)[np.triu_indices(len(signals), 1)]
        sums = np.unique(sums[near[sums] > 1])
        distance = near[left]
        if (distance == 2).any():
            chosen = source.choice(left[distance == 2].tolist())
        else:
            new = np.minimum(distance, near[sums[:, None] ^ left] + 1).astype(int)
            value = new.sum(axis=1) * 100000 - (new**2).sum(axis=1)
            chosen = source.choice(sums[value == value.min()].tolist())
        signals = np.append(signals, chosen)
        near = np.minimum(near, near[every ^ chosen] + 1)
        left = left[near[left] > 1]
    return len(signals) - SIZE


def main():
    source = random.Random(int(os.environ.get("ASSAY_SEED", "7")))
    matrices = [matrix(source) for _ in range(MATRICES)]
    known = [sum(known_rule(rows, source) for _ in range(RUNS)) / RUNS for rows in matrices]
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    Path("workspace/problem.json").write_text(json.dumps({"matrices": matrices}))
    Path("truth/truth.json").write_text(json.dumps({"matrices": matrices, "known": known}))


if __name__ == "__main__":
    main()
