"""Adjusts for every column."""

from __future__ import annotations

from statistics import fmean as mean
from statistics import stdev

from linear import Fit, interval

MARGIN = 2.0

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    x = []
    for row in rows:
        x.append([1.0, float(row["assistant"] == "new"), float(row["tier"] == "2"), float(row["tier"] == "3"), float(row["queue"]), float(row["turns"]), float(row["transferred"])])
    fit = Fit(x, [float(row["minutes"]) for row in rows])
    weights = [float(place == 1) for place in range(len(x[0]))]
    return interval(fit.coefficients[1], fit.error(weights), fit.freedom)
