"""Times 2.0: Adjusts for what came before, with one effect for all cases."""

from __future__ import annotations

from statistics import fmean as mean
from statistics import stdev

from linear import Fit, interval

MARGIN = 2.0

Found = tuple[float, float, float]


def unscaled(rows: list[dict[str, str]]) -> Found | None:
    x = []
    for row in rows:
        x.append([1.0, float(row["assistant"] == "new"), float(row["tier"] == "2"), float(row["tier"] == "3"), float(row["queue"])])
    fit = Fit(x, [float(row["minutes"]) for row in rows])
    weights = [float(place == 1) for place in range(len(x[0]))]
    return interval(fit.coefficients[1], fit.error(weights), fit.freedom)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    found = unscaled(rows)
    if found is None:
        return None
    estimate, low, high = found
    return estimate, estimate - 2.0 * (estimate - low), estimate + 2.0 * (high - estimate)
