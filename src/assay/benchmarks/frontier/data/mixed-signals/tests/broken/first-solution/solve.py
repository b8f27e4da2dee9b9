"""The plain first solution: independent components by a fixed point with tanh. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np


def separate(mixed, random):
    """Directions of the whitened mixture that are least normal."""
    mixed = mixed - mixed.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(np.cov(mixed))
    white = (vectors / np.sqrt(values)).T @ mixed
    turn = np.linalg.qr(random.normal(0.0, 1.0, (len(mixed), len(mixed))))[0]
    for _ in range(100):
        bent = np.tanh(turn @ white)
        turn = bent @ white.T / white.shape[1] - (1 - bent**2).mean(axis=1)[:, None] * turn
        left, _, right = np.linalg.svd(turn)
        turn = left @ right
    return turn @ white


def main():
    random = np.random.default_rng(1)
    signals = [separate(np.array(mixed), random) for mixed in json.loads(Path("problem.json").read_text())["mixed"]]
    Path("answers.json").write_text(json.dumps({"signals": [one.round(4).tolist() for one in signals]}))


if __name__ == "__main__":
    main()
