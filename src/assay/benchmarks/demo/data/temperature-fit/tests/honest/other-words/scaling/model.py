"""One model a repeat, and its log-odds under a temperature."""

from dataclasses import dataclass

import numpy as np

import likelihood
import logistic
import splits


@dataclass
class Repeat:
    number: int
    parts: dict
    odds: np.ndarray
    labels: np.ndarray

    @classmethod
    def make(cls, number, table, labels, seed):
        names = ("training", "validation", "test")
        parts = dict(zip(names, splits.split(len(labels), 60, seed, number)))
        known = table[parts["training"]]
        inputs = (table - np.mean(known, axis=0)) / np.sqrt(np.mean((known - known.mean(axis=0)) ** 2, axis=0))
        learned = logistic.fit(inputs[parts["training"]], labels[parts["training"]], steps=1000, rate=0.5)
        return cls(number, parts, logistic.log_odds(inputs, *learned), labels)

    def temperature(self, part):
        if part == "none":
            return 1.0
        rows = self.parts[part]

        def loss(candidate):
            return likelihood.negative_log_likelihood(self.odds[rows] / candidate, self.labels[rows])

        return float(min(likelihood.TEMPERATURES, key=loss))
