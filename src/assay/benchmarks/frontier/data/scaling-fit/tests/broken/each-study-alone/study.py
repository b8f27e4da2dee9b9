"""Analyses each study alone: a constant plus a power of the size plus what missing steps cost."""

from __future__ import annotations

import math

from linear import Fit, interval

MARGIN = 0.24

Found = tuple[float, float, float]


def missing_share(row: dict[str, str]) -> float:
    """The share of the planned steps that was not made."""
    return 1 - int(row["steps"]) / int(row["planned"])


def fit_power(sizes: list[float], missing: list[list[float]], losses: list[float]) -> tuple[float, Fit]:
    """The power that fits best, and the fit of constant, factor and cost of missing steps at that power."""

    def fit_at(power: float) -> Fit:
        return Fit([[1.0, size**-power, *other] for size, other in zip(sizes, missing, strict=True)], losses)

    def misfit(power: float) -> float:
        return sum(residual**2 for residual in fit_at(power).residuals)

    best = min((0.05 + 0.06 * step for step in range(20)), key=misfit)
    for width in (0.02, 0.007, 0.002):
        best = min((max(best + width * step, 0.02) for step in range(-3, 4)), key=misfit)
    return best, fit_at(best)


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
