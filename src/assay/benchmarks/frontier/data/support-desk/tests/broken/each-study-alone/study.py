"""Analyses each study alone: adjusts for what the router saw, for each assistant."""

from __future__ import annotations

from statistics import fmean as mean
from statistics import stdev

from linear import Fit, interval

MARGIN = 2.0

Found = tuple[float, float, float]


def before_router(row: dict[str, str]) -> list[float]:
    """What is known of a case before it is routed."""
    return [float(row["tier"] == "2"), float(row["tier"] == "3"), float(row["queue"])]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    known = [before_router(row) for row in rows]
    middle = [mean(column) for column in zip(*known, strict=True)]
    x = []
    for row, values in zip(rows, known, strict=True):
        new = float(row["assistant"] == "new")
        apart = [value - centre for value, centre in zip(values, middle, strict=True)]
        x.append([1.0, new, *apart, *(new * value for value in apart)])
    fit = Fit(x, [float(row["minutes"]) for row in rows])
    weights = [float(place == 1) for place in range(len(x[0]))]
    return interval(fit.coefficients[1], fit.error(weights), fit.freedom)
