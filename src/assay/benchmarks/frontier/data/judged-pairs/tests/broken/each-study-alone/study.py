"""Analyses each study alone: one logistic model of preference, order and length, with one line for each pair."""

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


def analyse(rows: list[dict[str, str]]) -> Found | None:
    pairs: dict[str, tuple[list[float], list[float]]] = {}
    for row in rows:
        order = 1.0 if row["first"] == "new" else -1.0
        longer = float(row["words_new"]) - float(row["words_old"])
        _, votes = pairs.setdefault(row["pair"], ([1.0, order, longer], []))
        votes.append(float(row["preferred"] == "new"))
    x = [columns for columns, _ in pairs.values()]
    beta, covariance = logistic(x, [sum(votes) / len(votes) for _, votes in pairs.values()])
    return normal_interval(beta[0], covariance[0][0])
