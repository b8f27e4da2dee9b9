"""Standardises: fits each tier on its own, and weighs the tiers by their share of all cases."""

from __future__ import annotations

from statistics import fmean as mean
from statistics import stdev

from linear import Fit, interval

MARGIN = 2.0

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    estimate = variance = 0.0
    for tier in sorted({row["tier"] for row in rows}):
        cases = [row for row in rows if row["tier"] == tier]
        middle = mean(float(row["queue"]) for row in cases)
        x = []
        for row in cases:
            new, queue = float(row["assistant"] == "new"), float(row["queue"]) - middle
            x.append([1.0, new, queue])
        fit = Fit(x, [float(row["minutes"]) for row in cases])
        share = len(cases) / len(rows)
        estimate += share * fit.coefficients[1]
        variance += (share * fit.error([0.0, 1.0, 0.0])) ** 2
    return interval(estimate, variance**0.5, len(rows) - 9)
