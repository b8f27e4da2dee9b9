"""Who trains, who tests, and in which order: functions of seed and repeat alone."""

from __future__ import annotations

import numpy as np


def split(rows: int, seed: int, repeat: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers for training (seven tenths, rounded down) and for testing (the rest)."""
    order = np.random.default_rng([seed, repeat, 0]).permutation(rows)
    return order[: rows * 7 // 10], order[rows * 7 // 10 :]


def batches(training_rows: int, size: int, steps: int, seed: int, repeat: int) -> np.ndarray:
    """For each step, the positions (0 to training_rows - 1) in the list of training rows that form the batch."""
    return np.random.default_rng([seed, repeat, 1]).integers(0, training_rows, (steps, size))
