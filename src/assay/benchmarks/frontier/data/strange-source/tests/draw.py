"""Draws texts of a source that switches between two hidden tables and has a beat: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

SYMBOLS, FARTHEST, LAGS = 4, 10, 3
WINDOWS, SHORTEST, LONGEST = 3000, 45, 64
STAYS, COPIES = 0.96, 0.85
EVENNESS = 0.5


def speak(count, law, random):
    """Texts with one symbol more than the longest window, and the odds of each symbol for one who knows the law."""
    lags, tables, beat, back = law
    texts = np.zeros((count, LONGEST + 1), dtype=int)
    texts[:, :FARTHEST] = random.integers(0, SYMBOLS, (count, FARTHEST))
    known = np.full((count, LONGEST + 1, SYMBOLS), 1 / SYMBOLS)
    tongue, belief = random.integers(0, 2, count), np.full((count, 2), 0.5)
    rows = np.arange(count)
    for place in range(FARTHEST, LONGEST + 1):
        tongue = np.where(random.random(count) < STAYS, tongue, 1 - tongue)
        belief = STAYS * belief + (1 - STAYS) * belief[:, ::-1]
        if place % beat == 0:
            odds = np.full((count, 2, SYMBOLS), (1 - COPIES) / SYMBOLS)
            odds[rows, :, texts[:, place - back]] += COPIES
        else:
            code = np.zeros(count, dtype=int)
            for lag in lags:
                code = code * SYMBOLS + texts[:, place - lag]
            odds = tables[:, code].transpose(1, 0, 2)
        known[:, place] = (belief[:, :, None] * odds).sum(axis=1)
        steps = odds[rows, tongue].cumsum(axis=1)
        texts[:, place] = np.minimum((random.random(count)[:, None] > steps).sum(axis=1), SYMBOLS - 1)
        belief = belief * odds[rows, :, texts[:, place]]
        belief /= belief.sum(axis=1, keepdims=True)
    return texts, known


def written(row):
    """A text as a string of digits."""
    return "".join(map(str, row.tolist()))


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    lags = sorted(int(lag) for lag in random.choice(np.arange(1, FARTHEST + 1), LAGS, replace=False))
    tables = random.dirichlet(np.full(SYMBOLS, EVENNESS), (2, SYMBOLS**LAGS))
    law = lags, tables, int(random.integers(4, 8)), int(random.integers(2, FARTHEST + 1))
    texts, known = speak(WINDOWS, law, random)
    sizes, rows = random.integers(SHORTEST, LONGEST + 1, WINDOWS), np.arange(WINDOWS)
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"windows": [written(row[:size]) for row, size in zip(texts, sizes)]}
    Path("workspace/problem.json").write_text(json.dumps(problem))
    after = texts[rows, sizes]
    bits = -np.log2(np.maximum(known[rows, sizes, after], 2.0**-12))
    truth = {"next": after.tolist(), "judge": bits.round(5).tolist()}
    Path("truth/truth.json").write_text(json.dumps(truth, separators=(",", ":")))


if __name__ == "__main__":
    main()
