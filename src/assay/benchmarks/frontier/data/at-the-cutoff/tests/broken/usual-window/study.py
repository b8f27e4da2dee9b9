"""Analyses each study alone: local lines with one usual window, without allowance for the bias."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

MARGIN = 0.2
NORMAL = NormalDist()

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    pairs = sorted((float(row["score"]), float(row["result"])) for row in rows)
    x, y = np.array([score for score, _ in pairs]), np.array([result for _, result in pairs])
    spread = noise(x, y)
    best = (math.inf, 0.0)
    for window in (0.35,):
        if min(int(((x < 0) & (x > -window)).sum()), int(((x >= 0) & (x < window)).sum())) < 5:
            continue
        weights = jump_weights(x, float(window))
        error = spread * math.sqrt(float(weights @ weights))
        best = min(best, (1.96 * error, float(weights @ y)))
    half, estimate = best
    return estimate, estimate - half, estimate + half


def noise(x: np.ndarray, y: np.ndarray) -> float:
    """The standard deviation of the errors, by each result and the line through its two neighbours."""
    squares = []
    for side in (x < 0, x >= 0):
        score, result = x[side], y[side]
        share = (score[1:-1] - score[:-2]) / np.maximum(score[2:] - score[:-2], 1e-9)
        gaps = result[1:-1] - (1 - share) * result[:-2] - share * result[2:]
        squares.append(gaps**2 / (1 + (1 - share) ** 2 + share**2))
    return math.sqrt(float(np.concatenate(squares).mean()))


def jump_weights(x: np.ndarray, window: float) -> np.ndarray:
    """The weights of the results in the difference of two local lines at zero, left minus right."""
    weights = np.zeros(len(x))
    for side, sign in ((x < 0, 1.0), (x >= 0, -1.0)):
        near = np.where(side, np.maximum(1 - np.abs(x) / window, 0.0), 0.0)
        total, first, second = (float(near @ x**power) for power in (0, 1, 2))
        weights += sign * near * (second - first * x) / (total * second - first**2)
    return weights


def critical(ratio: float) -> float:
    """The 95% quantile of the absolute value of a normal variable with this mean and standard deviation 1."""
    low, high = 0.0, ratio + 4
    for _ in range(40):
        middle = (low + high) / 2
        inside = NORMAL.cdf(middle - ratio) - NORMAL.cdf(-middle - ratio)
        low, high = (middle, high) if inside < 0.95 else (low, middle)
    return high
