"""Finds beat and lags, learns two tables with a hidden switch between them, and listens. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from itertools import combinations
from pathlib import Path

import numpy as np

SYMBOLS, FARTHEST, STAYS = 4, 10, 0.96
STARTS, SHORT, LONG, FEW = 8, 25, 50, 700
"""Starts of the search, its rounds on a part of the windows, the rounds on all, and the size of the part."""


def find_beat(texts, sizes):
    """Every how many places, and from how far back, a symbol is copied, and how often."""
    best = None
    places = np.arange(FARTHEST, texts.shape[1])
    for back in range(1, FARTHEST + 1):
        same = (texts[:, places] == texts[:, places - back]) & (places < sizes[:, None])
        hits, seen = same.sum(axis=0), (places < sizes[:, None]).sum(axis=0)
        for beat in range(3, 12):
            chosen = places % beat == 0
            share = hits[chosen].sum() / seen[chosen].sum()
            gain = (share - hits.sum() / seen.sum()) * seen[chosen].sum() ** 0.5
            if best is None or gain > best[0]:
                best = gain, beat, back, share
    return best[1:]


def contexts(texts, lags):
    """The number of the context at each place from FARTHEST to one after the last."""
    codes = np.zeros((len(texts), texts.shape[1] - FARTHEST + 1), dtype=int)
    for lag in lags:
        codes = codes * SYMBOLS + texts[:, FARTHEST - lag : texts.shape[1] - lag + 1]
    return codes


def best_lags(texts, usable):
    """The lags whose contexts predict best when the tongue is not known."""
    after = texts[:, FARTHEST:][usable]

    def bits(lags):
        codes = contexts(texts, lags)[:, :-1][usable]
        counts = np.bincount(codes * SYMBOLS + after, minlength=SYMBOLS**4).reshape(-1, SYMBOLS)
        return -(counts * np.log((counts + 0.3) / (counts + 0.3).sum(axis=1, keepdims=True))).sum()

    return min(combinations(range(1, FARTHEST + 1), 3), key=bits)


def listen(odds):
    """Beliefs before each symbol, smoothed beliefs and the log likelihood; odds are (place, tongue, text)."""
    before, after, total = np.empty_like(odds), np.empty_like(odds), 0.0
    belief = np.full(odds.shape[1:], 0.5)
    for place in range(len(odds)):
        before[place] = STAYS * belief + (1 - STAYS) * belief[::-1]
        joint = before[place] * odds[place]
        scale = joint.sum(axis=0)
        total += np.log(scale).sum()
        belief = after[place] = joint / scale
    smooth = after.copy()
    for place in range(len(odds) - 2, -1, -1):
        ratio = smooth[place + 1] / before[place + 1]
        smooth[place] = after[place] * (STAYS * ratio + (1 - STAYS) * ratio[::-1])
    return before, smooth, total


def likelihoods(tables, flat, usable):
    """The odds of each symbol under both tongues; 1 where the table says nothing."""
    return np.where(usable.T[:, None], tables.reshape(2, -1)[:, flat.T].transpose(1, 0, 2), 1.0)


def learn(flat, usable, tables, rounds):
    """Some rounds of expectation maximisation."""
    total = 0.0
    for _ in range(rounds):
        _, smooth, total = listen(likelihoods(tables, flat, usable))
        counts = np.stack([np.bincount(flat.T[usable.T], smooth[:, tongue][usable.T], tables[0].size) for tongue in (0, 1)])
        tables = counts.reshape(2, -1, SYMBOLS) + 0.4
        tables /= tables.sum(axis=2, keepdims=True)
    return tables, total


def main():
    windows = json.loads(Path("problem.json").read_text())["windows"]
    sizes = np.array([len(window) for window in windows])
    texts = np.array([list(map(int, window.ljust(sizes.max(), "0"))) for window in windows])
    beat, back, share = find_beat(texts, sizes)
    places = np.arange(FARTHEST, texts.shape[1])
    usable = (places < sizes[:, None]) & (places % beat > 0)
    lags = best_lags(texts, usable)
    codes = contexts(texts, lags)
    flat = codes[:, :-1] * SYMBOLS + texts[:, FARTHEST:]
    random = np.random.default_rng(3)
    tried = []
    for _ in range(STARTS):
        tables = random.dirichlet(np.full(SYMBOLS, 1.0), (2, SYMBOLS**3))
        tried.append(learn(flat[:FEW], usable[:FEW], tables, SHORT))
    tables, _ = learn(flat, usable, max(tried, key=lambda pair: pair[1])[0], LONG)
    padded = np.concatenate([likelihoods(tables, flat, usable), np.ones((1, 2, len(texts)))])
    rows, last = np.arange(len(texts)), sizes - FARTHEST
    belief = listen(padded)[0][last, :, rows]
    odds = (belief[:, :, None] * tables[:, codes[rows, last]].transpose(1, 0, 2)).sum(axis=1)
    copied = np.flatnonzero(sizes % beat == 0)
    odds[copied] = (1 - share) / (SYMBOLS - 1)
    odds[copied, texts[copied, sizes[copied] - back]] = share
    odds = np.maximum(odds, 1e-4)
    odds /= odds.sum(axis=1, keepdims=True)
    Path("answers.json").write_text(json.dumps({"odds": odds.round(6).tolist()}))


if __name__ == "__main__":
    main()
