"""Nearest-neighbour regression."""

from __future__ import annotations

import numpy as np


class NearestNeighbours:
    """Predicts the mean target of the `count` nearest training rows, on features standardised by those rows."""

    def __init__(self, count: int) -> None:
        self.count = count

    def fit(self, features: np.ndarray, targets: np.ndarray) -> NearestNeighbours:
        """Keep the rows; a row that occurs twice counts as two neighbours."""
        self.middle = features.mean(axis=0)
        self.spread = features.std(axis=0)
        self.known = (features - self.middle) / self.spread
        self.sizes = (self.known**2).sum(axis=1)
        self.targets = targets
        return self

    def predict(self, features: np.ndarray) -> np.ndarray:
        """The prediction for each row."""
        standard = (features - self.middle) / self.spread
        # Squared distances up to a term that is the same for all neighbours of a row.
        distances = self.sizes - 2 * standard @ self.known.T
        nearest = np.argpartition(distances, self.count - 1, axis=1)[:, : self.count]
        return self.targets[nearest].mean(axis=1)
