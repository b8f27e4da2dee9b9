"""The model, without a cache."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Model:
    initial: np.ndarray
    transition: np.ndarray
    means: np.ndarray
    variances: np.ndarray

    @property
    def size(self):
        return self.initial.shape[0]

    def reordered(self):
        order = sorted(range(self.size), key=lambda state: self.means[state, 0])
        return Model(
            self.initial[order], self.transition[order][:, order], self.means[order], self.variances[order]
        )

    def free_parameters(self):
        states, dimensions = self.means.shape
        return (states - 1) * (states + 1) + 2 * states * dimensions


def power(transition, steps):
    result = transition
    for _ in range(int(steps) - 1):
        result = result @ transition
    return result


def log_densities(model, values):
    result = np.zeros((len(values), model.size))
    for state in range(model.size):
        for dimension in range(values.shape[1]):
            variance = model.variances[state, dimension]
            column = values[:, dimension]
            seen = ~np.isnan(column)
            distance = column[seen] - model.means[state, dimension]
            result[seen, state] += -0.5 * distance**2 / variance - 0.5 * np.log(2 * np.pi * variance)
    return result
