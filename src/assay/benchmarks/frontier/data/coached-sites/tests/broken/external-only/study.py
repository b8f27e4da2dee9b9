"""Externally marked sites only, adjusted for the first mark."""

from __future__ import annotations

from statistics import fmean as mean
from statistics import stdev

from linear import Fit, interval

MARGIN = 5.0

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    external = [row for row in rows if row["marker"] == "external"]
    fit = Fit(
        [[1.0, float(row["coached"] == "yes"), float(row["first"])] for row in external],
        [float(row["second"]) for row in external],
    )
    return interval(fit.coefficients[1], fit.error([0.0, 1.0, 0.0]), fit.freedom)
