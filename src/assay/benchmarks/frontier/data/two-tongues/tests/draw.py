"""Draws a source of symbols that switches between two hidden tongues: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

SYMBOLS, FARTHEST, LAGS = 4, 8, 3
TEXTS, LENGTH, WINDOWS, SEEN = 50, 150, 4000, 60
STAYS = 0.96
EVENNESS = 0.5


def context(texts, lags):
    """The number of the context at each place from FARTHEST on."""
    codes = np.zeros((len(texts), texts.shape[1] - FARTHEST), dtype=int)
    for lag in lags:
        codes = codes * SYMBOLS + texts[:, FARTHEST - lag : texts.shape[1] - lag]
    return codes


def speak(count, length, lags, tables, random):
    """Texts, and the odds of the next symbol for one who knows the tables but not the tongue."""
    texts = np.zeros((count, length), dtype=int)
    texts[:, :FARTHEST] = random.integers(0, SYMBOLS, (count, FARTHEST))
    tongue, belief = random.integers(0, 2, count), np.full((count, 2), 0.5)
    rows = np.arange(count)
    for place in range(FARTHEST, length):
        code = np.zeros(count, dtype=int)
        for lag in lags:
            code = code * SYMBOLS + texts[:, place - lag]
        tongue = np.where(random.random(count) < STAYS, tongue, 1 - tongue)
        belief = STAYS * belief + (1 - STAYS) * belief[:, ::-1]
        odds = tables[:, code].transpose(1, 0, 2)
        known = (belief[:, :, None] * odds).sum(axis=1)
        steps = odds[rows, tongue].cumsum(axis=1)
        texts[:, place] = np.minimum((random.random(count)[:, None] > steps).sum(axis=1), SYMBOLS - 1)
        belief = belief * odds[rows, :, texts[:, place]]
        belief /= belief.sum(axis=1, keepdims=True)
    return texts, known


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    lags = sorted(int(lag) for lag in random.choice(np.arange(1, FARTHEST + 1), LAGS, replace=False))
    tables = random.dirichlet(np.full(SYMBOLS, EVENNESS), (2, SYMBOLS**LAGS))
    texts, _ = speak(TEXTS, LENGTH, lags, tables, random)
    windows, known = speak(WINDOWS, SEEN + 1, lags, tables, random)
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"texts": texts.tolist(), "windows": windows[:, :-1].tolist()}
    Path("workspace/problem.json").write_text(json.dumps(problem))
    truth = {"next": windows[:, -1].tolist(), "known": known.round(6).tolist()}
    Path("truth/truth.json").write_text(json.dumps(truth))


if __name__ == "__main__":
    main()
