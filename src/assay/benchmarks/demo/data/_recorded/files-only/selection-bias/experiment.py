"""Compare feature selection outside and inside cross-validation, on real and on permuted labels."""

import csv
import json
import os

import numpy as np

from centroid import NearestCentroid
from data import read_table
from folds import assign_folds
from scores import anova_f
from streams import noise_features, permuted

REPEATS, FOLDS, NOISE, SELECTED = 5, 5, 500, 10


def best_columns(features, labels):
    return np.argsort(-anova_f(features, labels), kind="stable")[:SELECTED]


def main():
    seed = int(os.environ.get("ASSAY_SEED", "0"))
    measured, real = read_table(os.environ.get("ASSAY_DATA", "data/wine.csv"))
    rows = len(real)
    accuracies = {}
    lines, chosen = [], []
    for repeat in range(REPEATS):
        features = np.hstack([measured, noise_features(seed, repeat, rows, NOISE)])
        fold_of = assign_folds(rows, FOLDS, seed, repeat)
        for kind, labels in (("real", real), ("permuted", permuted(real, seed, repeat))):
            once = best_columns(features, labels)
            for selection in ("outside", "inside"):
                predicted = np.empty(rows, dtype=int)
                for fold in range(FOLDS):
                    held = fold_of == fold
                    columns = once if selection == "outside" else best_columns(features[~held], labels[~held])
                    model = NearestCentroid().fit(features[~held][:, columns], labels[~held])
                    predicted[held] = model.predict(features[held][:, columns])
                    chosen.append(
                        {"labels": kind, "selection": selection, "repeat": repeat, "fold": fold,
                         "features": [int(column) for column in columns]}
                    )
                accuracies.setdefault((kind, selection), []).append(float(np.mean(predicted == labels)))
                lines += [
                    [kind, selection, repeat, row, int(fold_of[row]), int(labels[row]), int(predicted[row])]
                    for row in range(rows)
                ]
    accuracy = {
        kind: {selection: float(np.mean(accuracies[kind, selection])) for selection in ("outside", "inside")}
        for kind in ("real", "permuted")
    }
    optimism = {kind: values["outside"] - values["inside"] for kind, values in accuracy.items()}
    with open("results.json", "w") as out:
        json.dump({"accuracy": accuracy, "optimism": optimism}, out, indent=2)
    with open("features.json", "w") as out:
        json.dump(chosen, out)
    with open("predictions.csv", "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["labels", "selection", "repeat", "row", "fold", "label", "predicted"])
        writer.writerows(lines)


main()
