"""Bias and variance of nearest neighbours, sorting each distance table once for both learners."""

import argparse
import json
import os
import pathlib

import numpy as np

import data
import sampling


def both_learners(x, y, rows, test):
    """Predictions with 1 and with 20 neighbours, from one sorting."""
    scale = np.sqrt(((x[rows] - x[rows].mean(0)) ** 2).mean(0))
    far = sum(((x[test, column, None] - x[rows, column]) / scale[column]) ** 2 for column in range(x.shape[1]))
    nearest = y[rows][np.argsort(far, axis=1)]
    return {1: nearest[:, 0], 20: nearest[:, :20].mean(1)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path)
    out = parser.parse_args().out
    x, y = data.read_table(os.environ.get("ASSAY_DATA") or "data/diabetes.csv")
    seed = int(os.environ.get("ASSAY_SEED") or 0)
    test, pool = sampling.set_aside(len(y), 60, seed)
    lines, tables = ["row,training_set,predicted,target,neighbours,method"], {}
    for number in range(15):
        rows = sampling.training_set(pool, 100, seed, number)
        alone = both_learners(x, y, rows, test)
        bags = [both_learners(x, y, rows[sample], test) for sample in sampling.bootstrap_samples(100, 25, seed, number)]
        for k in (20, 1):
            for method, values in (("bagged", sum(bag[k] for bag in bags) / 25), ("single", alone[k])):
                tables.setdefault((k, method), []).append(values)
                lines += [f"{r},{number},{v:.9g},{y[r]:g},{k},{method}" for r, v in zip(test, values)]
    results = {"bias_squared": {}, "variance": {}, "error": {}, "variance_removed": {}}
    for (k, method), values in tables.items():
        values = np.stack(values)
        spread = values.var(axis=0).mean()
        error = ((values - y[test]) ** 2).mean()
        for name, value in (("bias_squared", error - spread), ("variance", spread), ("error", error)):
            results[name].setdefault(str(k), {})[method] = round(float(value), 3)
    for k, parts in results["variance"].items():
        results["variance_removed"][k] = round(1 - parts["bagged"] / parts["single"], 5)
    (out / "results.json").write_text(json.dumps(results))
    (out / "predictions.csv").write_text("\n".join(lines))


main()
