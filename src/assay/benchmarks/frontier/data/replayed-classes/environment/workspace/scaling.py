"""Means and variances that grow with the rows."""

from __future__ import annotations

import numpy as np


class RunningScale:
    """Mean and variance of all rows that have been added."""

    def __init__(self, dimensions: int) -> None:
        self.count = 0
        self.mean = np.zeros(dimensions)
        self.squares = np.zeros(dimensions)

    def add(self, values: np.ndarray) -> None:
        """Add rows."""
        size = len(values)
        centre = values.mean(axis=0)
        own = ((values - centre) ** 2).sum(axis=0)
        total = self.count + size
        self.mean = self.mean + (centre - self.mean) * size / total
        delta = centre - self.mean
        self.squares = self.squares + own + delta**2 * self.count * size / total
        self.count = total

    @property
    def deviation(self) -> np.ndarray:
        """The standard deviation of each value."""
        variance = self.squares / (self.count - 1)
        return np.sqrt(np.where(variance > 0, variance, 1.0))

    def apply(self, values: np.ndarray) -> np.ndarray:
        """Rows in standard units."""
        return (values - self.mean) / self.deviation


class Projection:
    """Fixed random features, with the scale of the moment."""

    def __init__(self, dimensions: int, width: int, seed: int) -> None:
        source = np.random.default_rng([seed, 1])
        self.weights = source.standard_normal((dimensions, width)) / np.sqrt(dimensions)
        self.shifts = source.uniform(-1.0, 1.0, width)
        self.scale = RunningScale(dimensions)

    def features(self, values: np.ndarray) -> np.ndarray:
        """Features of raw rows, a column of ones last."""
        hidden = np.tanh(self.scale.apply(values) @ self.weights + self.shifts)
        return np.hstack([hidden, np.ones((len(values), 1))])
