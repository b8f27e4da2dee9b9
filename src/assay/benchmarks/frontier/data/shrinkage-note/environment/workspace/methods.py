"""The three methods of the note. None has an intercept: the features and the response have mean 0."""

from __future__ import annotations

import numpy as np

PENALTIES = tuple(float(10.0**power) for power in np.linspace(-3, 3, 13))
COMPONENTS = tuple(range(1, 13))


def ols(features: np.ndarray, response: np.ndarray) -> np.ndarray:
    """Least squares."""
    return np.linalg.lstsq(features, response, rcond=None)[0]


def ridge(features: np.ndarray, response: np.ndarray, penalty: float) -> np.ndarray:
    """Least squares with a penalty on the squared length of the coefficients."""
    square = features.T @ features + penalty * np.eye(features.shape[1])
    return np.linalg.solve(square, features.T @ response)


def pcr(features: np.ndarray, response: np.ndarray, components: int) -> np.ndarray:
    """Least squares on the first principal components."""
    left, values, right = np.linalg.svd(features, full_matrices=False)
    return right[:components].T @ ((left.T @ response)[:components] / values[:components])
