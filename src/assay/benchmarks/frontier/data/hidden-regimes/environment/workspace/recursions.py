"""Forward and backward recursions over one series."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from model import Model, log_densities, power
from series import Series


@dataclass(frozen=True)
class Forward:
    """Filtered and predicted states of each row and the log likelihood of each row given earlier ones."""

    filtered: np.ndarray
    predicted: np.ndarray
    scores: np.ndarray

    @property
    def likelihood(self) -> float:
        """The log likelihood of the series."""
        return float(self.scores.sum())


def forward(model: Model, series: Series, temper: float = 1.0) -> Forward:
    """Go through a series once, with densities to a power."""
    logs = temper * log_densities(model, series.values)
    peaks = logs.max(axis=1)
    weights = np.exp(logs - peaks[:, None])
    filtered = np.empty_like(weights)
    predicted = np.empty_like(weights)
    scores = np.empty(len(series))
    state = model.initial
    for row in range(len(series)):
        if row:
            state = filtered[row - 1] @ power(model.transition, series.gaps[row - 1])
        predicted[row] = state
        joint = state * weights[row]
        total = joint.sum()
        filtered[row] = joint / total
        scores[row] = np.log(total) + peaks[row]
    return Forward(filtered, predicted, scores)


def backward(model: Model, series: Series, temper: float = 1.0) -> np.ndarray:
    """The likelihood of later rows given the state of each row, up to a factor for each row."""
    logs = temper * log_densities(model, series.values)
    weights = np.exp(logs - logs.max(axis=1)[:, None])
    later = np.ones_like(weights)
    for row in range(len(series) - 2, -1, -1):
        later[row] = model.transition @ (weights[row + 1] * later[row + 1])
        later[row] /= later[row].sum()
    return later


def smoothed_states(model: Model, series: Series, temper: float = 1.0) -> np.ndarray:
    """The probability of each state in each row, given the whole series."""
    product = forward(model, series, temper).filtered * backward(model, series, temper)
    return product / product.sum(axis=1)[:, None]


def pair_states(model: Model, series: Series, temper: float = 1.0) -> np.ndarray:
    """The probability of each pair of states in each row and the next, given the whole series."""
    logs = temper * log_densities(model, series.values)
    weights = np.exp(logs - logs.max(axis=1)[:, None])
    filtered = forward(model, series, temper).filtered
    later = backward(model, series, temper)
    pairs = np.empty((len(series) - 1, model.size, model.size))
    for row in range(len(series) - 1):
        step = power(model.transition, series.gaps[row])
        joint = filtered[row][:, None] * step * (weights[row + 1] * later[row + 1])[None]
        pairs[row] = joint / joint.sum()
    return pairs
