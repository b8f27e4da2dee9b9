"""A constant plus a power of the size, fitted to the completed runs alone."""

from __future__ import annotations

import math

from linear import Fit, interval

MARGIN = 0.24

Found = tuple[float, float, float]


def fit_power(sizes: list[float], losses: list[float]) -> tuple[float, Fit]:
    """The power that fits best, and the fit of constant and factor at that power."""

    def fit_at(power: float) -> Fit:
        return Fit([[1.0, size**-power] for size in sizes], losses)

    def misfit(power: float) -> float:
        return sum(residual**2 for residual in fit_at(power).residuals)

    best = min((0.05 + 0.06 * step for step in range(20)), key=misfit)
    for width in (0.02, 0.007, 0.002):
        best = min((max(best + width * step, 0.02) for step in range(-3, 4)), key=misfit)
    return best, fit_at(best)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    done = [row for row in rows if int(row["steps"]) >= int(row["planned"])]
    sizes, losses = [float(row["size"]) for row in done], [float(row["loss"]) for row in done]
    target, goal = float(rows[0]["target"]), float(rows[0]["goal"])
    power, fit = fit_power(sizes, losses)
    scale = fit.coefficients[1]

    def slopes(size: float) -> list[float]:
        """How the curve at a size moves with its constant, its factor and its power."""
        return [1.0, size**-power, -scale * size**-power * math.log(size)]

    straight = Fit([slopes(size) for size in sizes], fit.residuals)
    estimate = fit.coefficients[0] + scale * target**-power - goal
    return interval(estimate, straight.error(slopes(target)), straight.freedom)
