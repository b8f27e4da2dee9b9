"""The power is taken as known, and the interval is three times as wide; each study is fitted alone."""

from __future__ import annotations

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
    estimate = fit.coefficients[0] + fit.coefficients[1] * target**-power - goal
    return interval(estimate, 3 * fit.error([1.0, target**-power, *[0.0] * stopped]), fit.freedom)
