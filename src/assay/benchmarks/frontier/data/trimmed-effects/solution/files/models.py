"""Penalised models with row weights."""

from __future__ import annotations

import numpy as np

STEPS = 60
SMALLEST_STEP = 1e-10


def free_first(size: int) -> np.ndarray:
    """The diagonal of the penalty."""
    diagonal = np.ones(size)
    diagonal[0] = 0.0
    return diagonal


def chance(columns: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Probabilities of a logistic model."""
    return 1.0 / (1.0 + np.exp(-(columns @ coefficients)))


def fit_logistic(columns: np.ndarray, labels: np.ndarray, weights: np.ndarray, penalty: float) -> np.ndarray:
    """Coefficients of a logistic model, by Newton's method from zero."""
    share = weights / weights.sum()
    ridge = penalty * free_first(columns.shape[1])
    coefficients = np.zeros(columns.shape[1])
    for _ in range(STEPS):
        fitted = chance(columns, coefficients)
        slope = columns.T @ (share * (fitted - labels)) + ridge * coefficients
        curve = (columns * (share * fitted * (1.0 - fitted))[:, None]).T @ columns + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        coefficients = coefficients - step
        if np.max(np.abs(step)) < SMALLEST_STEP:
            break
    return coefficients


def fit_linear(columns: np.ndarray, values: np.ndarray, weights: np.ndarray, penalty: float) -> np.ndarray:
    """Coefficients of a linear model, in closed form."""
    total = weights.sum()
    weighted = columns * weights[:, None]
    ridge = penalty * total * free_first(columns.shape[1])
    return np.linalg.solve(weighted.T @ columns + np.diag(ridge), weighted.T @ values)


def log_loss(labels: np.ndarray, fitted: np.ndarray, weights: np.ndarray) -> float:
    """The weighted mean of the logarithmic loss."""
    losses = -np.where(labels == 1, np.log(fitted), np.log(1.0 - fitted))
    return float(np.average(losses, weights=weights))


def squared_loss(values: np.ndarray, fitted: np.ndarray, weights: np.ndarray) -> float:
    """The weighted mean of the squared error."""
    return float(np.average((values - fitted) ** 2, weights=weights))
