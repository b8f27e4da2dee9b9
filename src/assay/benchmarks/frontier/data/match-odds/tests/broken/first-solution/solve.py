"""The plain first solution: a skill for each player. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np


def main():
    problem = json.loads(Path("problem.json").read_text())
    one, two, _, _ = np.array(problem["games"]).T
    asked = np.array([won is None for won in problem["won"]])
    won = np.array([won for won in problem["won"] if won is not None], dtype=float)
    inputs = np.zeros((len(one), max(one.max(), two.max()) + 1))
    inputs[np.arange(len(one)), one] = 1.0
    inputs[np.arange(len(one)), two] = -1.0
    skill = np.zeros(inputs.shape[1])
    for _ in range(12):
        odds = 1 / (1 + np.exp(-inputs[~asked] @ skill))
        inside = (inputs[~asked] * (odds * (1 - odds))[:, None]).T @ inputs[~asked] + np.eye(len(skill))
        skill += np.linalg.solve(inside, inputs[~asked].T @ (won - odds) - skill)
    odds = 1 / (1 + np.exp(-inputs[asked] @ skill))
    Path("answers.json").write_text(json.dumps({"odds": odds.round(5).tolist()}))


if __name__ == "__main__":
    main()
