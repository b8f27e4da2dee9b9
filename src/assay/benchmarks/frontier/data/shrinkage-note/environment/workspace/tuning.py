"""Cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

FOLDS = 5

Fit = Callable[[np.ndarray, np.ndarray, float], np.ndarray]


def assign_folds(rows: int, seed: int, repeat: int) -> np.ndarray:
    """The fold of each row. The rows are in random order, so any equal division of them is fair."""
    return np.random.default_rng([seed, repeat, 1]).permutation(rows) % FOLDS


def choose(
    fit: Fit, settings: Sequence[float], features: np.ndarray, response: np.ndarray, folds: np.ndarray
) -> tuple[float, float]:
    """The setting with the lowest cross-validated error, and that error: an honest estimate for new samples."""
    errors = []
    for setting in settings:
        squares = np.empty(len(response))
        for fold in range(FOLDS):
            held_out = folds == fold
            fitted = fit(features[~held_out], response[~held_out], setting)
            squares[held_out] = (response[held_out] - features[held_out] @ fitted) ** 2
        errors.append(float(squares.mean()))
    best = int(np.argmin(errors))
    return settings[best], errors[best]
