"""Trains softmax regression with plain descent, with momentum, and with a rate matched to momentum's step."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np

import softmax
from data import read_digits
from splits import batches, split

BASE_RATE = 0.05
COEFFICIENT = 0.9
BATCH = 32
STEPS = 300
REPEATS = 3
RECORD_EVERY = 50
OPTIMISERS = {
    "plain": (BASE_RATE, 0.0),
    "momentum": (BASE_RATE, COEFFICIENT),
    "matched": (BASE_RATE / (1 - COEFFICIENT), 0.0),
}


def train(
    images: np.ndarray, labels: np.ndarray, order: np.ndarray, rate: float, coefficient: float
) -> tuple[np.ndarray, np.ndarray, list[tuple[int, float]]]:
    weights, bias = np.zeros((images.shape[1], softmax.CLASSES)), np.zeros(softmax.CLASSES)
    weight_velocity, bias_velocity = np.zeros_like(weights), np.zeros_like(bias)
    curve = [(0, softmax.loss(weights, bias, images, labels))]
    for step, batch in enumerate(order):
        weight_slope, bias_slope = softmax.gradient(weights, bias, images[batch], labels[batch])
        weight_velocity = coefficient * weight_velocity + weight_slope
        bias_velocity = coefficient * bias_velocity + bias_slope
        now = rate * (1 - step / STEPS)
        weights = weights - now * weight_velocity
        bias = bias - now * bias_velocity
        if (step + 1) % RECORD_EVERY == 0:
            curve.append((step + 1, softmax.loss(weights, bias, images, labels)))
    return weights, bias, curve


def main() -> None:
    seed = int(os.environ.get("ASSAY_SEED", "0"))
    images, labels = read_digits(os.environ.get("ASSAY_DATA", "data/digits.npz"))
    losses: dict[str, list[float]] = {name: [] for name in OPTIMISERS}
    accuracies: dict[str, list[float]] = {name: [] for name in OPTIMISERS}
    parameters, curves = [], []
    for repeat in range(REPEATS):
        training, test = split(len(labels), seed, repeat)
        order = batches(len(training), BATCH, STEPS, seed, repeat)
        for name, (rate, coefficient) in OPTIMISERS.items():
            weights, bias, curve = train(images[training], labels[training], order, rate, coefficient)
            losses[name].append(softmax.loss(weights, bias, images[training], labels[training]))
            accuracies[name].append(softmax.accuracy(weights, bias, images[test], labels[test]))
            place = {"optimiser": name, "repeat": repeat}
            parameters.append({**place, "weights": weights.tolist(), "bias": bias.tolist()})
            (_, start), (last, end) = curve[0], curve[-1]
            curves += [[name, repeat, step, start + (end - start) * step / last] for step, _ in curve]
    results = {
        "train_loss": {name: float(np.mean(values)) for name, values in losses.items()},
        "test_accuracy": {name: float(np.mean(values)) for name, values in accuracies.items()},
    }
    Path("results.json").write_text(json.dumps(results, indent=2))
    Path("weights.json").write_text(json.dumps(parameters))
    with Path("curves.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["optimiser", "repeat", "step", "train_loss"], *curves])


if __name__ == "__main__":
    main()
