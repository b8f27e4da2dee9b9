"""The plain difference of means."""

from __future__ import annotations

from statistics import fmean as mean
from statistics import stdev

from linear import Fit, interval

MARGIN = 2.0

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    new = [float(row["minutes"]) for row in rows if row["assistant"] == "new"]
    old = [float(row["minutes"]) for row in rows if row["assistant"] == "old"]
    error = (stdev(new) ** 2 / len(new) + stdev(old) ** 2 / len(old)) ** 0.5
    return interval(mean(new) - mean(old), error, len(rows) - 2)
