"""Sparse Bayesian learning whose variances are shared with neighbours. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

ROUNDS, SHARE = 40, 0.45


def spread(values, share):
    """Each value plus a share of its neighbours."""
    padded = np.pad(values, ((0, 0), (1, 1)), mode="edge")
    return values + share * (padded[:, :-2] + padded[:, 2:])


def recover(matrix, measured, noise):
    """Posterior means of all signals together, after some rounds of learning the variances."""
    count, length = len(measured), matrix.shape[1]
    precisions = np.ones((count, length))
    identity = noise**2 * np.eye(len(matrix))
    for _ in range(ROUNDS):
        variances = 1.0 / spread(precisions, SHARE)
        scaled = matrix[None] * variances[:, None, :]
        inside = scaled @ matrix.T + identity
        gains = np.linalg.solve(inside, scaled)
        means = np.einsum("nml,nm->nl", gains, measured)
        left = variances - (scaled * gains).sum(axis=1)
        energy = spread(means**2 + left, SHARE)
        precisions = 1.0 / (energy + 1e-6)
    return means


def main():
    problem = json.loads(Path("problem.json").read_text())
    matrix, measured = np.array(problem["matrix"]), np.array(problem["measured"])
    signals = recover(matrix, measured, problem["noise"])
    Path("answers.json").write_text(json.dumps({"signals": signals.round(5).tolist()}))


if __name__ == "__main__":
    main()
