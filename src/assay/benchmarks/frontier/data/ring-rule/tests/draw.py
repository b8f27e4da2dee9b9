"""Draws a rule for rings of cells, and noisy pictures of how rings change: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

STATES, WIDTH = 3, 30
PICTURES, ROWS = 16, 40
WINDOWS, SEEN, AHEAD = 500, 6, 2
NOISE = 0.07


def move(older, newer, table):
    """The next row: by a cell, its two neighbours, and the same cell one row earlier."""
    code = np.roll(newer, 1, -1)
    for part in (newer, np.roll(newer, -1, -1), older):
        code = code * STATES + part
    return table[code]


def grow(count, rows, table, random):
    """Pictures from random first rows, taken after a while."""
    picture = [random.integers(0, STATES, (count, WIDTH)) for _ in range(2)]
    for _ in range(rows + 8):
        picture.append(move(picture[-2], picture[-1], table))
    return np.stack(picture[-rows:], axis=1)


def lively(table, random):
    """Whether rings stay varied, and small changes neither die nor are the only thing to see."""
    picture = grow(20, 30, table, random)
    shares = np.bincount(picture[:, -5:].ravel(), minlength=STATES) / picture[:, -5:].size
    changed = picture[:, -2:].copy()
    changed[:, 1, 0] = (changed[:, 1, 0] + 1) % STATES
    apart = (move(*picture[:, -2:].transpose(1, 0, 2), table) != move(*changed.transpose(1, 0, 2), table)).sum(axis=1)
    return shares.min() > 0.15 and 1.2 < apart.mean() < 2.2


def noisy(picture, random):
    """Each cell shows a random other state now and then."""
    wrong = (picture + random.integers(1, STATES, picture.shape)) % STATES
    return np.where(random.random(picture.shape) < NOISE, wrong, picture)


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    table = random.integers(0, STATES, STATES**4)
    while not lively(table, random):
        table = random.integers(0, STATES, STATES**4)
    pictures = grow(PICTURES, ROWS, table, random)
    windows = grow(WINDOWS, SEEN + AHEAD, table, random)
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"pictures": noisy(pictures, random).tolist(), "windows": noisy(windows[:, :SEEN], random).tolist()}
    Path("workspace/problem.json").write_text(json.dumps(problem))
    Path("truth/truth.json").write_text(json.dumps({"later": windows[:, -1].tolist()}))


if __name__ == "__main__":
    main()
