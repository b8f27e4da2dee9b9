"""Times 1.05: The second mark adjusted for the first, with marks by coaches set apart."""

from __future__ import annotations

from statistics import fmean as mean
from statistics import stdev

from linear import Fit, interval

MARGIN = 5.0

Found = tuple[float, float, float]


def unscaled(rows: list[dict[str, str]]) -> Found | None:
    x = [
        [1.0, float(row["coached"] == "yes"), float(row["first"]), float(row["marker"] == "coach")]
        for row in rows
    ]
    fit = Fit(x, [float(row["second"]) for row in rows])
    return interval(fit.coefficients[1], fit.error([0.0, 1.0, 0.0, 0.0]), fit.freedom)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    found = unscaled(rows)
    if found is None:
        return None
    estimate, low, high = found
    return estimate, estimate - 1.05 * (estimate - low), estimate + 1.05 * (high - estimate)
