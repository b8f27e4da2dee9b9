"""Logistic regression by gradient descent, without a penalty."""

from __future__ import annotations

import numpy as np


def fit(features: np.ndarray, labels: np.ndarray, steps: int, rate: float) -> tuple[np.ndarray, float]:
    """Weights and bias after so many steps on all rows, from zero; the features should be standardised."""
    weights, bias = np.zeros(features.shape[1]), 0.0
    for _ in range(steps):
        excess = 1 / (1 + np.exp(-log_odds(features, weights, bias))) - labels
        weights = weights - rate * features.T @ excess / len(labels)
        bias = bias - rate * float(excess.mean())
    return weights, bias


def log_odds(features: np.ndarray, weights: np.ndarray, bias: float) -> np.ndarray:
    """Logarithm of the odds of class 1, for each row; above zero means class 1."""
    return features @ weights + bias
