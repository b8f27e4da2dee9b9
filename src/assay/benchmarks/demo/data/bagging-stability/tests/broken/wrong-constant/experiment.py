"""Splits the error of single and of bagged nearest neighbours into bias and variance."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np

from data import read_table
from neighbours import NearestNeighbours
from sampling import bootstrap_samples, set_aside, training_set

TEST_ROWS = 60
TRAINING_SETS = 15
TRAINING_ROWS = 100
BOOTSTRAPS = 10
NEIGHBOURS = (1, 20)
METHODS = ("single", "bagged")


def predict(
    count: int, features: np.ndarray, targets: np.ndarray, rows: list[np.ndarray], test: np.ndarray
) -> np.ndarray:
    """The mean of the predictions from each of several lists of training rows."""
    each = [NearestNeighbours(count).fit(features[one], targets[one]).predict(features[test]) for one in rows]
    return np.mean(each, axis=0)


def decompose(predictions: np.ndarray, targets: np.ndarray) -> dict[str, float]:
    """Squared bias, variance and error of predictions (training sets x test rows)."""
    middle = predictions.mean(axis=0)
    return {
        "bias_squared": float(np.mean((targets - middle) ** 2)),
        "variance": float(np.mean((predictions - middle) ** 2)),
        "error": float(np.mean((targets - predictions) ** 2)),
    }


def main() -> None:
    seed = int(os.environ.get("ASSAY_SEED", "0"))
    features, targets = read_table(os.environ.get("ASSAY_DATA", "data/diabetes.csv"))
    test, pool = set_aside(len(targets), TEST_ROWS, seed)
    predictions: dict[tuple[int, str], list[np.ndarray]] = {(k, method): [] for k in NEIGHBOURS for method in METHODS}
    for number in range(TRAINING_SETS):
        rows = training_set(pool, TRAINING_ROWS, seed, number)
        samples = rows[bootstrap_samples(TRAINING_ROWS, BOOTSTRAPS, seed, number)]
        for count in NEIGHBOURS:
            predictions[count, "single"].append(predict(count, features, targets, [rows], test))
            predictions[count, "bagged"].append(predict(count, features, targets, list(samples), test))
    write({cell: np.array(values) for cell, values in predictions.items()}, targets, test)


def write(predictions: dict[tuple[int, str], np.ndarray], targets: np.ndarray, test: np.ndarray) -> None:
    results: dict[str, dict[str, object]] = {}
    lines: list[list[object]] = [["neighbours", "method", "training_set", "row", "predicted"]]
    for (count, method), values in predictions.items():
        for name, value in decompose(values, targets[test]).items():
            results.setdefault(name, {}).setdefault(str(count), {})[method] = value
        for number, from_set in enumerate(values):
            lines += [[count, method, number, row, value] for row, value in zip(test, from_set, strict=True)]
    results["variance_removed"] = {
        count: 1 - variances["bagged"] / variances["single"] for count, variances in results["variance"].items()
    }
    Path("results.json").write_text(json.dumps(results, indent=2))
    with Path("predictions.csv").open("w", newline="") as file:
        csv.writer(file).writerows(lines)


if __name__ == "__main__":
    main()
