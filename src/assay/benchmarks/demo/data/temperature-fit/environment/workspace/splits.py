"""Which rows train, validate and test: a function of seed and repeat alone."""

from __future__ import annotations

import numpy as np


def split(rows: int, training: int, seed: int, repeat: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row numbers for training, for validation (half of the rest, rounded down) and for testing."""
    order = np.random.default_rng([seed, repeat]).permutation(rows)
    middle = training + (rows - training) // 2
    return order[:training], order[training:middle], order[middle:]
