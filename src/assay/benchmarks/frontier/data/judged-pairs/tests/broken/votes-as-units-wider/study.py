"""One logistic model over all votes. The interval is made 2.3 times as wide."""

from __future__ import annotations

import math

from linear import inverse

MARGIN = 0.5

Found = tuple[float, float, float]


def logistic(x: list[list[float]], y: list[float]) -> tuple[list[float], list[list[float]]]:
    """The coefficients of a logistic model and their covariance, by Newton's method."""
    size = len(x[0])
    beta = [0.0] * size
    for _ in range(8):
        slope = [0.0] * size
        curve = [[0.0] * size for _ in range(size)]
        for row, target in zip(x, y, strict=True):
            odds = sum(a * b for a, b in zip(row, beta, strict=True))
            chance = 1 / (1 + math.exp(-odds))
            weight = chance * (1 - chance)
            for one in range(size):
                slope[one] += (target - chance) * row[one]
                for other in range(size):
                    curve[one][other] += weight * row[one] * row[other]
        covariance = inverse(curve)
        steps = [sum(a * b for a, b in zip(row, slope, strict=True)) for row in covariance]
        beta = [value + step for value, step in zip(beta, steps, strict=True)]
    return beta, covariance


def normal_interval(estimate: float, variance: float) -> Found:
    half = 1.96 * math.sqrt(variance)
    return estimate, estimate - half, estimate + half


def find_interval(rows: list[dict[str, str]]) -> Found | None:
    x, y = [], []
    for row in rows:
        order = 1.0 if row["first"] == "new" else -1.0
        x.append([1.0, order, float(row["words_new"]) - float(row["words_old"])])
        y.append(float(row["preferred"] == "new"))
    beta, covariance = logistic(x, y)
    return normal_interval(beta[0], covariance[0][0])


def analyse(rows: list[dict[str, str]]) -> Found | None:
    found = find_interval(rows)
    if found is None:
        return None
    estimate, low, high = found
    return estimate, estimate - 2.3 * (estimate - low), estimate + 2.3 * (high - estimate)
