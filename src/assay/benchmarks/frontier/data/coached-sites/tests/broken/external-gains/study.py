"""Gains of externally marked sites."""

from __future__ import annotations

from statistics import fmean as mean
from statistics import stdev

from linear import Fit, interval

MARGIN = 5.0

Found = tuple[float, float, float]


def compare(yes: list[float], no: list[float]) -> Found:
    error = (stdev(yes) ** 2 / len(yes) + stdev(no) ** 2 / len(no)) ** 0.5
    return interval(mean(yes) - mean(no), error, len(yes) + len(no) - 2)


def gain(row: dict[str, str]) -> float:
    return float(row["second"]) - float(row["first"])


def analyse(rows: list[dict[str, str]]) -> Found | None:
    rows = [row for row in rows if row["marker"] == "external"]
    yes = [gain(row) for row in rows if row["coached"] == "yes"]
    return compare(yes, [gain(row) for row in rows if row["coached"] == "no"])
