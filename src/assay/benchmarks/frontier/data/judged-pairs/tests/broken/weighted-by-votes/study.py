"""All votes, with an interval that knows which votes belong to one pair."""

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
    x, y = [], []
    for row in rows:
        order = 0.5 if row["first"] == "new" else -0.5
        x.append([1.0, order, float(row["words_new"]) - float(row["words_old"])])
        y.append(float(row["preferred"] == "new"))
    beta, covariance = logistic(x, y)
    sums: dict[str, float] = {}
    for row, columns, target in zip(rows, x, y, strict=True):
        odds = sum(a * b for a, b in zip(columns, beta, strict=True))
        score = (target - 1 / (1 + math.exp(-odds))) * sum(
            a * b for a, b in zip(covariance[0], columns, strict=True)
        )
        sums[row["pair"]] = sums.get(row["pair"], 0.0) + score
    count = len(sums)
    return normal_interval(beta[0], sum(total**2 for total in sums.values()) * count / (count - 1))
