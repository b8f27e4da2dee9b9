"""The study: one object a condition."""

from __future__ import annotations

import itertools
import json
import os
import sys

import numpy as np

import data
import folds as folding
import streams
from centroid import NearestCentroid


def ten_best(features: np.ndarray, target: np.ndarray) -> list[int]:
    """By the share of a column's spread that the classes leave unexplained: the less, the larger its F."""
    total = ((features - features.mean(axis=0)) ** 2).sum(axis=0)
    left = sum(np.var(features[target == value], axis=0) * np.sum(target == value) for value in set(target.tolist()))
    ranked = sorted(range(features.shape[1]), key=(left / total).tolist().__getitem__)
    return ranked[:10]


class Condition:
    """Labels and place of selection; gathers its predictions."""

    def __init__(self, labels: str, selection: str) -> None:
        self.labels, self.selection = labels, selection
        self.scores: list[float] = []
        self.lines: list[str] = []
        self.chosen: list[dict[str, object]] = []

    def repeat(self, number: int, features: np.ndarray, target: np.ndarray, fold_of: np.ndarray) -> None:
        on_everything = ten_best(features, target) if self.selection == "outside" else None
        right = 0
        for fold in range(5):
            train, held_out = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            columns = on_everything or ten_best(features[train], target[train])
            model = NearestCentroid().fit(features[np.ix_(train, columns)], target[train])
            guesses = model.predict(features[np.ix_(held_out, columns)])
            right += int((guesses == target[held_out]).sum())
            for row, guess in zip(held_out, guesses, strict=True):
                self.lines.append(f"{row},{fold},{guess},{target[row]},{number},{self.labels},{self.selection},{guess == target[row]}")
            place = {"repeat": number, "fold": fold, "labels": self.labels, "selection": self.selection}
            self.chosen.append({"features": columns, **place})
        self.scores.append(right / len(target))


def main(folder: str) -> None:
    seed = int(os.environ.get("ASSAY_SEED") or 0)
    measured, target = data.read_table(os.environ.get("ASSAY_DATA") or f"{folder}/data/wine.csv")
    conditions = [Condition(*each) for each in itertools.product(("permuted", "real"), ("inside", "outside"))]
    for number in range(5):
        features = np.column_stack([measured, streams.noise_features(seed, number, len(target), 500)])
        fold_of = folding.assign_folds(len(target), 5, seed, number)
        shuffled = streams.permuted(target, seed, number)
        for condition in conditions:
            condition.repeat(number, features, shuffled if condition.labels == "permuted" else target, fold_of)
    mean = {(each.labels, each.selection): sum(each.scores) / 5 for each in conditions}
    accuracy = {labels: {place: round(mean[labels, place], 6) for place in ("inside", "outside")} for labels in ("permuted", "real")}
    optimism = {labels: round(mean[labels, "outside"] - mean[labels, "inside"], 6) for labels in ("permuted", "real")}
    with open(f"{folder}/results.json", "w") as file:
        json.dump({"optimism": optimism, "accuracy": accuracy, "seed": seed}, file)
    with open(f"{folder}/features.json", "w") as file:
        json.dump([entry for each in conditions for entry in each.chosen], file)
    with open(f"{folder}/predictions.csv", "w") as file:
        file.write("row,fold,predicted,label,repeat,labels,selection,right\n")
        file.write("\n".join(line for each in conditions for line in each.lines) + "\n")


main(sys.argv[1])
