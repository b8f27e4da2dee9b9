"""Least squares and Student's t with the standard library."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist

Matrix = list[list[float]]


def inverse(matrix: Matrix) -> Matrix:
    """The inverse by Gauss-Jordan elimination; ZeroDivisionError where there is none."""
    size = len(matrix)
    work = [row[:] + [float(place == number) for place in range(size)] for number, row in enumerate(matrix)]
    scale = max(abs(value) for row in matrix for value in row) or 1.0
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(work[row][column]))
        if abs(work[pivot][column]) < 1e-10 * scale:
            raise ZeroDivisionError("the columns depend on each other")
        work[column], work[pivot] = work[pivot], work[column]
        head = work[column][column]
        work[column] = [value / head for value in work[column]]
        for row in range(size):
            factor = work[row][column]
            if row != column and factor:
                work[row] = [value - factor * other for value, other in zip(work[row], work[column], strict=True)]
    return [row[size:] for row in work]


class Fit:
    """A least-squares fit of y on the columns of x."""

    def __init__(self, x: Sequence[Sequence[float]], y: Sequence[float]) -> None:
        size = len(x[0])
        squares = [[0.0] * size for _ in range(size)]
        moments = [0.0] * size
        for row, target in zip(x, y, strict=True):
            for one in range(size):
                if row[one]:
                    moments[one] += row[one] * target
                    for other in range(size):
                        squares[one][other] += row[one] * row[other]
        self.bread = inverse(squares)
        self.x = x
        self.coefficients = [sum(a * b for a, b in zip(row, moments, strict=True)) for row in self.bread]
        self.residuals = [
            target - sum(a * b for a, b in zip(row, self.coefficients, strict=True))
            for row, target in zip(x, y, strict=True)
        ]
        self.freedom = len(x) - size

    def error(self, weights: Sequence[float]) -> float:
        """The standard error of a weighted sum of the coefficients, for independent errors of one size."""
        spread = sum(residual**2 for residual in self.residuals) / self.freedom
        return math.sqrt(spread * self._quadratic(weights, weights))

    def clustered_error(self, weights: Sequence[float], clusters: Sequence[Hashable]) -> float:
        """The same where rows of one cluster belong together."""
        half = [sum(a * b for a, b in zip(row, weights, strict=True)) for row in self.bread]
        sums: dict[Hashable, float] = {}
        for row, residual, cluster in zip(self.x, self.residuals, clusters, strict=True):
            sums[cluster] = sums.get(cluster, 0.0) + residual * sum(a * b for a, b in zip(row, half, strict=True))
        count = len(sums)
        return math.sqrt(sum(total**2 for total in sums.values()) * count / (count - 1))

    def _quadratic(self, left: Sequence[float], right: Sequence[float]) -> float:
        return sum(a * sum(b * c for b, c in zip(row, right, strict=True)) for a, row in zip(left, self.bread, strict=True))


def t_quantile(freedom: float, level: float = 0.975) -> float:
    """Student's t by its expansion about the normal."""
    z = NormalDist().inv_cdf(level)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def interval(estimate: float, error: float, freedom: float) -> tuple[float, float, float]:
    """The estimate with its 95% interval."""
    half = t_quantile(freedom) * error
    return estimate, estimate - half, estimate + half
