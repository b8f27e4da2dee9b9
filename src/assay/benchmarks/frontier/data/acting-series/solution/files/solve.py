"""Chooses terms of four kinds one by one, as long as they explain more than chance does. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

DELAYS, BOUND, MOST = 5, 3.0, 3
PRICE = 15.0
"""How much the logarithm of what is left, times the number of values, must fall for a term."""


def terms(values, target):
    """All terms that may act on a series, centred, and the series of each."""
    past = {
        (series, delay): values[DELAYS - delay : len(values) - delay, series]
        for series in range(values.shape[1]) if series != target for delay in range(1, DELAYS + 1)
    }
    columns, names = [], []
    for (series, _), column in past.items():
        columns += [column, np.sin(2.6 * column), 1.0 * (column > 0.5)]
        names += [(series,)] * 3
    keys = list(past)
    for one in keys:
        for two in keys:
            if one[0] != two[0]:
                columns.append(past[one] * np.sign(past[two]))
                names.append((one[0], two[0]))
    columns = np.array(columns)
    return columns - columns.mean(axis=1, keepdims=True), names


def acting(values, target):
    """The series that act on one series."""
    columns, names = terms(values, target)
    free = BOUND * np.arctanh(np.clip(values[:, target] / BOUND, -0.995, 0.995))
    wanted = free[DELAYS:] - free[DELAYS:].mean()
    own = values[DELAYS - 1 : -1, target] - values[DELAYS - 1 : -1, target].mean()
    basis = [own / np.linalg.norm(own)]
    left = wanted - basis[0] * (basis[0] @ wanted)
    columns = columns - np.outer(columns @ basis[0], basis[0])
    found = set()
    for _ in range(MOST):
        sizes = (columns**2).sum(axis=1)
        gains = np.where(sizes > 1e-3 * len(left), (columns @ left) ** 2 / np.maximum(sizes, 1e-9), 0.0)
        best = int(gains.argmax())
        if -len(left) * np.log(1 - gains[best] / (left @ left)) < PRICE:
            break
        found |= set(names[best])
        direction = columns[best] / np.linalg.norm(columns[best])
        left = left - direction * (direction @ left)
        columns = columns - np.outer(columns @ direction, direction)
    return found


def main():
    edges = []
    for system in json.loads(Path("problem.json").read_text())["systems"]:
        values = np.array(system)
        edges.append([[one, target] for target in range(values.shape[1]) for one in sorted(acting(values, target))])
    Path("answers.json").write_text(json.dumps({"edges": edges}))


if __name__ == "__main__":
    main()
