"""Cheap marks of all items."""

from __future__ import annotations

from statistics import fmean as mean
from statistics import stdev

from linear import interval

MARGIN = 8.0

Found = tuple[float, float, float]


def difference(row: dict[str, str], marker: str) -> float:
    return 100.0 * (int(row[f"{marker}_a"]) - int(row[f"{marker}_b"]))


def of_mean(values: list[float]) -> Found:
    return interval(mean(values), stdev(values) / len(values) ** 0.5, len(values) - 1)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    return of_mean([difference(row, "cheap") for row in rows])
