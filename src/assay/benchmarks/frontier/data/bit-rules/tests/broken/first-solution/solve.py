"""The plain first solution: a linear model of the bits and their products in pairs. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from itertools import combinations
from pathlib import Path

import numpy as np


def features(rows):
    """Bits as plus and minus one, and their products in pairs."""
    signs = 1.0 - 2.0 * np.array([list(map(int, row)) for row in rows])
    pairs = [signs[:, one] * signs[:, two] for one, two in combinations(range(signs.shape[1]), 2)]
    return np.column_stack([np.ones(len(signs)), signs, *pairs])


def main():
    problem = json.loads(Path("problem.json").read_text())
    given, asked = features(problem["given"]), features(problem["asked"])
    wanted = 1.0 - 2.0 * np.array([list(map(int, row)) for row in problem["answers"]]).T
    weights = given.T @ np.linalg.solve(given @ given.T + 100.0 * np.eye(len(given)), wanted)
    found = (asked @ weights < 0).T.astype(int)
    Path("answers.json").write_text(json.dumps({"answers": ["".join(map(str, row)) for row in found.tolist()]}))


if __name__ == "__main__":
    main()
