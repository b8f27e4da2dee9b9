"""The plain first solution: large weights of a linear model of the last five values. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

DELAYS, LARGE = 5, 4.0


def actions(values):
    """Pairs (from, to) whose weight at some delay is large compared with its standard error."""
    count, target = values.shape[1], values[DELAYS:]
    inputs = np.column_stack([np.ones(len(target)), *(values[DELAYS - d : len(values) - d] for d in range(1, DELAYS + 1))])
    inverse = np.linalg.inv(inputs.T @ inputs + 1e-6 * np.eye(inputs.shape[1]))
    weights = inverse @ inputs.T @ target
    noise = ((target - inputs @ weights) ** 2).sum(axis=0) / (len(target) - inputs.shape[1])
    sizes = np.abs(weights) / np.sqrt(inverse.diagonal()[:, None] * noise)
    largest = sizes[1:].reshape(DELAYS, count, count).max(axis=0)
    return [[one, two] for one in range(count) for two in range(count) if one != two and largest[one, two] > LARGE]


def main():
    systems = json.loads(Path("problem.json").read_text())["systems"]
    Path("answers.json").write_text(json.dumps({"edges": [actions(np.array(values)) for values in systems]}))


if __name__ == "__main__":
    main()
