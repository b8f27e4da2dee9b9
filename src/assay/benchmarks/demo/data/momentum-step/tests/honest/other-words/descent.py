"""The three optimisers side by side, with the bias as one more row of the weights."""

import json
import os

import numpy as np

import data
import splits

seed = int(os.environ.get("ASSAY_SEED") or 0)
pixels, digits = data.read_digits(os.environ.get("ASSAY_DATA") or "data/digits.npz")
pixels = np.column_stack([pixels, np.ones(len(pixels))])
rates = {"matched": 0.05 / (1 - 0.9), "momentum": 0.05, "plain": 0.05}


def probabilities(matrix, rows):
    powers = np.exp(pixels[rows] @ matrix)
    return powers / powers.sum(axis=1)[:, None]


def surprise(matrix, rows):
    return float(np.mean(-np.log(probabilities(matrix, rows)[range(len(rows)), digits[rows]])))


finals, curve_lines, losses, hits = [], ["train_loss,step,repeat,optimiser,rate"], {}, {}
for repeat in range(3):
    training, test = splits.split(len(digits), seed, repeat)
    order = splits.batches(len(training), 32, 300, seed, repeat)
    matrices = {name: np.zeros((65, 10)) for name in rates}
    ball = np.zeros((65, 10))
    for step in range(301):
        if step % 25 == 0:
            for name, matrix in matrices.items():
                curve_lines.append(f"{surprise(matrix, training):.8f},{step},{repeat},{name},{rates[name]}")
        if step == 300:
            break
        batch = training[order[step]]
        wanted = np.eye(10)[digits[batch]]
        for name, matrix in matrices.items():
            slope = pixels[batch].T @ (probabilities(matrix, batch) - wanted) / 32
            if name == "momentum":
                ball = slope = 0.9 * ball + slope
            matrices[name] = matrix - (300 - step) / 300 * rates[name] * slope
    for name, matrix in matrices.items():
        losses.setdefault(name, []).append(surprise(matrix, training))
        hits.setdefault(name, []).append(float(np.mean(probabilities(matrix, test).argmax(axis=1) == digits[test])))
        parts = {"bias": matrix[64].tolist(), "weights": matrix[:64].tolist()}
        finals.append({"repeat": repeat, "optimiser": name, **parts})

results = {
    "test_accuracy": {name: round(sum(each) / 3, 5) for name, each in hits.items()},
    "train_loss": {name: round(sum(each) / 3, 5) for name, each in losses.items()},
}
for name, text in (
    ("results.json", json.dumps(results)),
    ("weights.json", json.dumps(finals, indent=1)),
    ("curves.csv", "\n".join(curve_lines)),
):
    with open(name, "w") as file:
        file.write(text)
