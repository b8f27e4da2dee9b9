"""The same curve; the interval takes in every forecast whose curve fits nearly as well."""

from __future__ import annotations

from linear import Fit, t_quantile

MARGIN = 0.06

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
    power, best = fit_power(sizes, losses)
    least = sum(residual**2 for residual in best.residuals)
    freedom = len(done) - 3
    allowed = least * (1 + t_quantile(freedom) ** 2 / freedom)
    low = high = estimate = best.coefficients[0] + best.coefficients[1] * target**-power
    for step in range(-60, 61):
        other = power + 0.012 * step
        if other < 0.01:
            continue
        fit = Fit([[1.0, size**-other] for size in sizes], losses)
        misfit = sum(residual**2 for residual in fit.residuals)
        if misfit <= allowed:
            middle = fit.coefficients[0] + fit.coefficients[1] * target**-other
            unit = fit.error([1.0, target**-other]) / (misfit / fit.freedom) ** 0.5
            half = unit * (allowed - misfit) ** 0.5
            low, high = min(low, middle - half), max(high, middle + half)
    return estimate - goal, low - goal, high - goal
