"""Test rows, training sets and bootstrap samples: functions of the seed and a number alone."""

from __future__ import annotations

import numpy as np


def set_aside(rows: int, test: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers of the test rows, and of the pool from which training sets are drawn."""
    order = np.random.default_rng([seed, 0]).permutation(rows)
    return order[:test], order[test:]


def training_set(pool: np.ndarray, size: int, seed: int, number: int) -> np.ndarray:
    """Row numbers of one training set: `size` different rows of the pool."""
    return np.random.default_rng([seed, 1, number]).choice(pool, size, replace=False)


def bootstrap_samples(size: int, count: int, seed: int, number: int) -> np.ndarray:
    """For one training set, `count` samples with replacement: positions (0 to size - 1) in its list of rows."""
    return np.random.default_rng([seed, 2, number]).integers(0, size, (count, size))
