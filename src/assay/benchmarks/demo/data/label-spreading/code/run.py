"""Spread few labels over the graph, repair the confidences, and write the paper's table to results.json."""

import json
import os
from pathlib import Path

import numpy as np

from calibration import calibration_error, fit_exponent
from data import choose_roles, load_table, one_hot
from graph import affinities, local_scales, pairwise_distances
from metrics import accuracy, log_loss
from spreading import sharpen, spread, to_probabilities

SEED = 2402
SHOWN_PER_CLASS = (4, 12)
FEW = 13
"""Samples of the small calibration error."""


def measure(weights, labels, shown_per_class, seed):
    """One row of the table."""
    shown, tuning, testing = choose_roles(labels, shown_per_class, seed)
    scores = spread(weights, one_hot(labels, shown))
    raw = to_probabilities(scores)
    exponent = fit_exponent(raw[tuning], labels[tuning])
    repaired = sharpen(raw, exponent)
    return {
        "score_norm": float(np.sqrt((scores**2).sum())),
        "score_sum": float(scores.sum()),
        "accuracy": accuracy(raw[testing], labels[testing]),
        "raw_log_loss": log_loss(raw[testing], labels[testing]),
        "raw_error": calibration_error(raw[testing], labels[testing]),
        "exponent": exponent,
        "log_loss": log_loss(repaired[testing], labels[testing]),
        "error": calibration_error(repaired[testing], labels[testing]),
        "few_error": calibration_error(repaired[testing][:FEW], labels[testing][:FEW]),
    }


def main():
    """Build the graph once and spread once for each number of shown labels."""
    seed = int(os.environ.get("ASSAY_SEED", SEED))
    features, labels = load_table()
    distances = pairwise_distances(features)
    scales = local_scales(distances)
    weights = affinities(distances, scales)
    results = {"mean_scale": float(scales.mean()), "mean_degree": float(weights.sum(axis=1).mean())}
    for shown_per_class in SHOWN_PER_CLASS:
        results[f"shown_{shown_per_class}"] = measure(weights, labels, shown_per_class, seed)
    Path("results.json").write_text(json.dumps(results, indent=2) + "\n")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
