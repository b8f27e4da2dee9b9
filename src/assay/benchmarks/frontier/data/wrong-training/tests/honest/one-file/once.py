"""The method written again from the description, in one file, with the parameters as one vector."""

import csv
import json
import math
import os
import pathlib

import numpy as np


def parts_of(c):
    g = np.random.default_rng([c["seed"], 0])
    scale = np.exp(g.normal(size=c["features"]))
    x = g.standard_t(df=3, size=(c["rows"], c["features"])) * scale + g.normal(size=c["features"])
    direction = g.normal(size=c["features"]) / scale
    signal = np.tanh(x @ direction) + 0.5 * np.sin(x[:, 0] / scale[0])
    y = (signal + c["noise"] * g.normal(size=c["rows"]) > 0).astype(float)
    n = c["rows"] - c["valid"] - c["test"]
    x = (x - x[:n].mean(0)) / x[:n].std(0)
    m = n + c["valid"]
    return (x[:n], y[:n]), (x[n:m], y[n:m]), (x[m:], y[m:])


def run(c):
    d, h = c["features"], c["hidden"]
    fit, valid, test = parts_of(c)
    g = np.random.default_rng([c["seed"], 1])
    first = g.normal(size=(d, h)) / np.sqrt(d)
    p = np.concatenate([first.ravel(), np.zeros(h), g.normal(size=h) / np.sqrt(h), np.zeros(1)])
    weights = np.concatenate([np.ones(d * h), np.zeros(h), np.ones(h), np.zeros(1)])

    def odds(q, x):
        z = np.tanh(x @ q[: d * h].reshape(d, h) + q[d * h : d * h + h])
        return z, z @ q[d * h + h : -1] + q[-1]

    def loss(q, part):
        o = odds(q, part[0])[1]
        return float(np.mean(np.log1p(np.exp(-np.abs(o))) + np.maximum(o, 0) - part[1] * o))

    shuffler = np.random.default_rng([c["seed"], 2])
    total = c["epochs"] * -(-len(fit[1]) // c["batch"])
    m, v, t, curve, best = np.zeros_like(p), np.zeros_like(p), 0, [], None
    for epoch in range(c["epochs"]):
        order = shuffler.permutation(len(fit[1]))
        for begin in range(0, len(order), c["batch"]):
            rows = order[begin : begin + c["batch"]]
            z, o = odds(p, fit[0][rows])
            s = (1 / (1 + np.exp(-o)) - fit[1][rows]) / len(rows)
            back = np.outer(s, p[d * h + h : -1]) * (1 - z * z)
            grad = np.concatenate([(fit[0][rows].T @ back).ravel(), back.sum(0), z.T @ s, [s.sum()]])
            grad = grad * min(1.0, c["clip"] / (np.linalg.norm(grad) + 1e-12))
            rate = c["rate"] * (1 + math.cos(math.pi * t / max(total - 1, 1))) / 2
            t += 1
            m, v = 0.9 * m + 0.1 * grad, 0.99 * v + 0.01 * grad * grad
            p = p * (1 - rate * c["decay"] * weights)
            p = p - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-8)
        curve.append([epoch, loss(p, fit), loss(p, valid), ""])
        if best is None or curve[-1][2] < best[0]:
            best = (curve[-1][2], epoch, p)
    right = float(np.mean((odds(best[2], test[0])[1] > 0) == (test[1] > 0.5)))
    curve[-1][3] = loss(best[2], test)
    return [best[1], best[0], curve[-1][3], right, curve[-1][1]], curve


files = sorted(pathlib.Path(os.environ.get("ASSAY_DATA", "configurations")).glob("*.json"))
numbers = []
with open("curves.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["configuration", "epoch", "train", "valid", "test"])
    for path in files:
        found, curve = run(json.loads(path.read_text()))
        numbers.append(found)
        writer.writerows([path.stem, *line] for line in curve)
names = ["best_epoch", "best_valid", "test_loss", "test_accuracy", "last_train"]
means = dict(zip(names, np.mean(numbers, axis=0).tolist()))
json.dump({"means": means, "recorded": json.load(open("recorded.json"))}, open("results.json", "w"))
