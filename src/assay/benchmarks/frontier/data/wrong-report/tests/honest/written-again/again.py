"""All measures again from their definitions, with numpy, and the report in one file."""

import csv
import json
import os
import pathlib

import numpy as np


def quantile(values, weights, level):
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(np.asarray(weights, float)[order])
    return float(np.asarray(values)[order][np.searchsorted(reached, level * reached[-1] - 1e-9)])


def bootstrap(values, groups):
    source = np.random.default_rng(3)
    names, where = np.unique(groups, return_inverse=True)
    sums = np.bincount(where, values)
    sizes = np.bincount(where)
    picks = source.integers(len(names), size=(2000, len(names)))
    means = sums[picks].sum(axis=1) / sizes[picks].sum(axis=1)
    return quantile(means, np.ones(2000), 0.95) - quantile(means, np.ones(2000), 0.05)


def measure(rows):
    score = np.array([float(row["score"]) for row in rows])
    label = np.array([int(row["label"]) for row in rows])
    relevance = np.array([int(row["relevance"]) for row in rows])
    value = np.array([float(row["value"]) for row in rows])
    weight = [float(row["weight"]) if row["weight"] else 1.0 for row in rows]
    guess, truth = [row["guess"] for row in rows], [row["truth"] for row in rows]
    apart = np.sign(score[label == 1][:, None] - score[label == 0][None, :])
    precision, before = 0.0, 0.0
    for threshold in np.unique(score)[::-1]:
        recall = (label[score >= threshold].sum()) / label.sum()
        precision += (recall - before) * label[score >= threshold].mean()
        before = recall
    hundredths = np.rint(score * 100).astype(int)
    bins = np.maximum((hundredths + 9) // 10 - 1, 0)
    error = sum(np.sum(bins == b) * abs(score[bins == b].mean() - label[bins == b].mean()) for b in np.unique(bins))
    classes = set(guess) | set(truth)
    f1 = [2 * sum(g == t == c for g, t in zip(guess, truth)) / (guess.count(c) + truth.count(c)) for c in classes]
    discount = 1 / np.log2(np.arange(2, 12))
    gains = (2.0**relevance - 1)[np.argsort(-score, kind="stable")][:10]
    ideal = np.sort(2.0**relevance - 1)[::-1][:10]
    a, b = np.sign(score[:, None] - score), np.sign(relevance[:, None] - relevance)
    cut = len(value) // 10
    return {
        "area": float((apart + 1).mean() / 2),
        "average_precision": float(precision),
        "calibration_error": float(error / len(score)),
        "macro_f1": sum(f1) / len(f1),
        "discounted_gain": float((gains * discount[: len(gains)]).sum() / (ideal * discount[: len(ideal)]).sum()),
        "rank_agreement": float((a * b).sum() / np.sqrt((a != 0).sum() * (b != 0).sum())),
        "median_value": quantile(value, weight, 0.5),
        "trimmed_mean": float(np.sort(value)[cut : len(value) - cut].mean()),
        "interval_width": bootstrap(value, [row["group"] for row in rows]),
    }


paths = sorted(pathlib.Path(os.environ.get("ASSAY_DATA", "data")).glob("*.csv"))
lines = [{"case": path.stem, **measure(list(csv.DictReader(path.open())))} for path in paths]
with open("per_case.csv", "w", newline="") as file:
    writer = csv.DictWriter(file, list(lines[0]))
    writer.writeheader()
    writer.writerows(lines)
means = {name: sum(line[name] for line in lines) / len(lines) for name in lines[0] if name != "case"}
reported = json.load(open("reported.json"))
json.dump({"measures": means, "reported": reported}, open("results.json", "w"))
