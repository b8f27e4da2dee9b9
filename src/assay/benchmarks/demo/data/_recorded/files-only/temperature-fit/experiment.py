"""Fit a temperature on no rows, on training rows and on validation rows, and measure on test rows."""

import csv
import json
import os

import numpy as np

from data import read_table
from likelihood import TEMPERATURES, negative_log_likelihood
from logistic import fit, log_odds
from splits import split

REPEATS, TRAINING, STEPS, RATE = 5, 60, 1000, 0.5
CONDITIONS = ("none", "training", "validation")


def best_temperature(odds, labels):
    losses = [negative_log_likelihood(odds / temperature, labels) for temperature in TEMPERATURES]
    return float(TEMPERATURES[int(np.argmin(losses))])


def main():
    seed = int(os.environ.get("ASSAY_SEED", "0"))
    features, labels = read_table(os.environ.get("ASSAY_DATA", "data/cancer.csv"))
    measures = {name: {condition: [] for condition in CONDITIONS} for name in ("nll", "overconfidence", "accuracy", "temperature")}
    predictions, temperatures = [], []
    for repeat in range(REPEATS):
        training, validation, test = split(len(labels), TRAINING, seed, repeat)
        middle, spread = features[training].mean(axis=0), np.std(features[training], axis=0)
        standard = (features - middle) / spread
        weights, bias = fit(standard[training], labels[training], STEPS, RATE)
        odds = log_odds(standard, weights, bias)
        fitted = {
            "none": 1.0,
            "training": best_temperature(odds[training], labels[training]),
            "validation": best_temperature(odds[validation], labels[validation]),
        }
        for condition, temperature in fitted.items():
            scaled = odds[test] / temperature
            predicted = (scaled > 0).astype(int)
            accuracy = float(np.mean(predicted == labels[test]))
            confidence = float(np.mean(1 / (1 + np.exp(-np.abs(scaled)))))
            measures["nll"][condition].append(negative_log_likelihood(scaled, labels[test]))
            measures["accuracy"][condition].append(accuracy)
            measures["overconfidence"][condition].append(confidence - accuracy)
            measures["temperature"][condition].append(temperature)
            temperatures.append([condition, repeat, repr(temperature)])
            predictions += [
                [condition, repeat, int(row), int(labels[row]), repr(float(value))]
                for row, value in zip(test, scaled)
            ]
    results = {
        name: {condition: float(np.mean(values)) for condition, values in by_condition.items()}
        for name, by_condition in measures.items()
    }
    with open("results.json", "w") as out:
        json.dump(results, out, indent=2)
    for path, header, rows in (
        ("predictions.csv", ["fitted_on", "repeat", "row", "label", "log_odds"], predictions),
        ("temperatures.csv", ["fitted_on", "repeat", "temperature"], temperatures),
    ):
        with open(path, "w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(header)
            writer.writerows(rows)


main()
