"""The plain first solution: a linear model of all columns for each table. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np


def fit(inputs, yes, rounds=15):
    """Weights of a logistic model, by Newton's method."""
    weights = np.zeros(inputs.shape[1])
    for _ in range(rounds):
        odds = 1 / (1 + np.exp(-inputs @ weights))
        inside = (inputs * (odds * (1 - odds))[:, None]).T @ inputs + np.eye(len(weights))
        weights = weights + np.linalg.solve(inside, inputs.T @ (yes - odds) - weights)
    return weights


def odds_of(problem):
    """The chance of yes for each asked row of each table."""
    found = []
    for table in problem["tables"]:
        rows = np.array([[0.0 if value is None else value for value in row] for row in table["rows"]])
        inputs = np.column_stack([np.ones(len(rows)), (rows - rows.mean(axis=0)) / rows.std(axis=0)])
        asked = np.array([answer is None for answer in table["answers"]])
        yes = np.array([answer for answer in table["answers"] if answer is not None], dtype=float)
        odds = 1 / (1 + np.exp(-inputs[asked] @ fit(inputs[~asked], yes)))
        found.append(odds.round(5).tolist())
    return found


def main():
    problem = json.loads(Path("problem.json").read_text())
    Path("answers.json").write_text(json.dumps({"odds": odds_of(problem)}))


if __name__ == "__main__":
    main()
