"""Scales the log-odds of an over-confident model by temperatures fitted on different rows."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np

from data import read_table
from likelihood import TEMPERATURES, negative_log_likelihood
from logistic import fit, log_odds
from splits import split

TRAINING_ROWS = 60
STEPS = 1000
RATE = 0.5
REPEATS = 5
CONDITIONS = ("none", "training", "validation")


def best_temperature(odds: np.ndarray, labels: np.ndarray) -> float:
    losses = [negative_log_likelihood(odds / temperature, labels) for temperature in TEMPERATURES]
    return float(TEMPERATURES[int(np.argmin(losses))])


def accuracy(odds: np.ndarray, labels: np.ndarray) -> float:
    return float(np.mean((odds > 0) == (labels == 1)))


def overconfidence(odds: np.ndarray, labels: np.ndarray) -> float:
    confidence = 1 / (1 + np.exp(-np.abs(odds)))
    return float(confidence.mean()) - accuracy(odds, labels)


def model_odds(features: np.ndarray, labels: np.ndarray, training: np.ndarray) -> np.ndarray:
    middle, spread = features[training].mean(axis=0), features[training].std(axis=0)
    standard = (features - middle) / spread
    weights, bias = fit(standard[training], labels[training], STEPS, RATE)
    return log_odds(standard, weights, bias)


def main() -> None:
    seed = int(os.environ.get("ASSAY_SEED", "0"))
    features, labels = read_table("data/cancer.csv")
    measured: dict[str, dict[str, list[float]]] = {
        name: {condition: [] for condition in CONDITIONS} for name in ("nll", "overconfidence", "accuracy", "temperature")
    }
    lines, temperatures = [], []
    for repeat in range(REPEATS):
        training, validation, test = split(len(labels), TRAINING_ROWS, seed, repeat)
        odds = model_odds(features, labels, training)
        rows_to_fit = {"none": None, "training": training, "validation": validation}
        for condition, rows in rows_to_fit.items():
            temperature = 1.0 if rows is None else best_temperature(odds[rows], labels[rows])
            scaled = odds[test] / temperature
            measured["nll"][condition].append(negative_log_likelihood(scaled, labels[test]))
            measured["overconfidence"][condition].append(overconfidence(scaled, labels[test]))
            measured["accuracy"][condition].append(accuracy(scaled, labels[test]))
            measured["temperature"][condition].append(temperature)
            temperatures.append([condition, repeat, temperature])
            lines += [[condition, repeat, row, labels[row], value] for row, value in zip(test, scaled, strict=True)]
    write(measured, lines, temperatures)


def write(measured: dict[str, dict[str, list[float]]], lines: list[list[object]], temperatures: list[list[object]]) -> None:
    results = {
        name: {condition: float(np.mean(values)) for condition, values in by_condition.items()}
        for name, by_condition in measured.items()
    }
    Path("results.json").write_text(json.dumps(results, indent=2))
    with Path("predictions.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["fitted_on", "repeat", "row", "label", "log_odds"], *lines])
    with Path("temperatures.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["fitted_on", "repeat", "temperature"], *temperatures])


if __name__ == "__main__":
    main()
