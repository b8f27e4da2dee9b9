"""Runs the note's comparison again, with the two readings of a sample in one fold."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np

from methods import COMPONENTS, PENALTIES, ols
from tuning import FOLDS, assign_folds
from worlds import draw, error

REPEATS = 120


def scores(features: np.ndarray, response: np.ndarray, held: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Squared errors of the held-out rows for each penalty and for each number of components, from one SVD."""
    left, values, right = np.linalg.svd(features[~held], full_matrices=False)
    seen = left.T @ response[~held]
    turned = features[held] @ right.T
    by_penalty = [turned @ (values * seen / (values**2 + penalty)) for penalty in PENALTIES]
    by_count = [turned[:, :count] @ (seen / values)[:count] for count in COMPONENTS]
    target = response[held]
    return ((np.array(by_penalty) - target) ** 2).sum(axis=1), ((np.array(by_count) - target) ** 2).sum(axis=1)


def folds_of(features: np.ndarray, seed: int, repeat: int) -> np.ndarray:
    """The two readings of a sample are in the same fold: apart, one would give the other away."""
    _, sample = np.unique(features, axis=0, return_inverse=True)
    return assign_folds(int(sample.max()) + 1, seed, repeat)[sample.reshape(-1)]


def one_repeat(seed: int, repeat: int) -> dict[str, float]:
    features, response, coefficients = draw(seed, repeat)
    folds = folds_of(features, seed, repeat)
    penalties, counts = np.zeros(len(PENALTIES)), np.zeros(len(COMPONENTS))
    for fold in range(FOLDS):
        more_penalties, more_counts = scores(features, response, folds == fold)
        penalties += more_penalties
        counts += more_counts
    left, values, right = np.linalg.svd(features, full_matrices=False)
    seen = left.T @ response
    penalty, count = PENALTIES[int(penalties.argmin())], COMPONENTS[int(counts.argmin())]
    return {
        "ols": error(ols(features, response), coefficients),
        "ridge": error(right.T @ (values * seen / (values**2 + penalty)), coefficients),
        "pcr": error(right[:count].T @ (seen / values)[:count], coefficients),
        "cv_ridge": float(penalties.min()) / len(response),
    }


def main() -> None:
    seed = int(os.environ.get("ASSAY_SEED", "0"))
    lines = [{"repeat": repeat, **one_repeat(seed, repeat)} for repeat in range(REPEATS)]
    with open("repeats.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    means = {name: float(np.mean([line[name] for line in lines])) for name in ("ols", "ridge", "pcr", "cv_ridge")}
    note = json.loads(Path("note.json").read_text())
    Path("results.json").write_text(json.dumps({"error": means, "note": note}, indent=2))


if __name__ == "__main__":
    main()
