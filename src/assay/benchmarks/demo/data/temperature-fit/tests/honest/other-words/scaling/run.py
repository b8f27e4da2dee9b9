"""All repeats, all conditions; tables are written line by line."""

import json
import os

import numpy as np

import data
import likelihood
from scaling.model import Repeat

table, labels = data.read_table(os.environ.get("ASSAY_DATA") or "data/cancer.csv")
seed = int(os.environ.get("ASSAY_SEED") or 0)
gathered = {}
with open("predictions.csv", "w") as predictions, open("temperatures.csv", "w") as temperatures:
    predictions.write("log_odds,row,label,repeat,fitted_on\n")
    temperatures.write("temperature,fitted_on,repeat\n")
    for number in range(5):
        repeat = Repeat.make(number, table, labels, seed)
        rows = np.sort(repeat.parts["test"])
        for condition in ("validation", "training", "none"):
            temperature = repeat.temperature(condition)
            odds = repeat.odds[rows] / temperature
            temperatures.write(f"{temperature!r},{condition},{number}\n")
            for row, value in zip(rows, odds):
                predictions.write(f"{value:.10g},{row},{labels[row]},{number},{condition}\n")
            sure = np.maximum(1 / (1 + np.exp(odds)), 1 / (1 + np.exp(-odds))).mean()
            right = np.mean(np.where(odds > 0, 1, 0) == labels[rows])
            measured = {
                "nll": likelihood.negative_log_likelihood(odds, labels[rows]),
                "overconfidence": sure - right,
                "accuracy": right,
                "temperature": temperature,
            }
            for name, value in measured.items():
                gathered.setdefault(name, {}).setdefault(condition, []).append(float(value))
with open("results.json", "w") as file:
    json.dump({name: {key: sum(each) / 5 for key, each in by.items()} for name, by in gathered.items()}, file)
