"""Random numbers: one generator for each purpose of each repeat."""

from __future__ import annotations

import numpy as np

PURPOSES = ("noise", "labels", "folds")


def stream(seed: int, repeat: int, purpose: str) -> np.random.Generator:
    """A fresh generator; asking twice gives the same numbers again."""
    return np.random.default_rng([seed, repeat, PURPOSES.index(purpose)])


def noise_features(seed: int, repeat: int, rows: int, count: int) -> np.ndarray:
    """Columns of standard normal noise for one repeat."""
    return stream(seed, repeat, "noise").normal(size=(rows, count))


def permuted(labels: np.ndarray, seed: int, repeat: int) -> np.ndarray:
    """The labels in the random order of one repeat."""
    return stream(seed, repeat, "labels").permutation(labels)
