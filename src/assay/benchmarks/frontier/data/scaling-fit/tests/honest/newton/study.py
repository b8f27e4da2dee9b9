"""A constant plus a power of the size plus what the missing steps cost, fitted to all runs by Newton's method."""

from __future__ import annotations

import math

from linear import Fit, interval

MARGIN = 0.24

Found = tuple[float, float, float]


def missing_share(row: dict[str, str]) -> float:
    """The share of the planned steps that was not made."""
    return 1 - int(row["steps"]) / int(row["planned"])


def fit_power(sizes: list[float], missing: list[list[float]], losses: list[float]) -> tuple[float, Fit]:
    """The power that fits best, by Newton's method in its logarithm, and the fit at that power."""

    def fit_at(log: float) -> Fit:
        power = math.exp(log)
        return Fit([[1.0, size**-power, *other] for size, other in zip(sizes, missing, strict=True)], losses)

    def misfit(log: float) -> float:
        return sum(residual**2 for residual in fit_at(log).residuals)

    best, step = min((-3.0 + 0.2 * number for number in range(16)), key=misfit), 0.01
    for _ in range(12):
        left, middle, right = misfit(best - step), misfit(best), misfit(best + step)
        curve = (left - 2 * middle + right) / step**2
        move = (left - right) / (2 * step) / curve if curve > 0 else 0.0
        best = max(-3.5, min(0.3, best + max(-0.1, min(0.1, move))))
    return math.exp(best), fit_at(best)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    sizes, losses = [float(row["size"]) for row in rows], [float(row["loss"]) for row in rows]
    target, goal = float(rows[0]["target"]), float(rows[0]["goal"])
    stopped = any(missing_share(row) > 0 for row in rows)
    missing = [[missing_share(row)] if stopped else [] for row in rows]
    power, fit = fit_power(sizes, missing, losses)
    scale = fit.coefficients[1]

    def slopes(size: float, other: list[float]) -> list[float]:
        """How the loss at a size moves with constant, factor, power and cost of missing steps."""
        return [1.0, size**-power, -scale * size**-power * math.log(size), *other]

    straight = Fit([slopes(size, other) for size, other in zip(sizes, missing, strict=True)], fit.residuals)
    estimate = fit.coefficients[0] + scale * target**-power - goal
    return interval(estimate, straight.error(slopes(target, [0.0] * stopped)), straight.freedom)
