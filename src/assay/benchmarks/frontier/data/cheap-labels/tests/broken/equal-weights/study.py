"""Cheap marks corrected by the mean correction of the expert."""

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
    cheap = [difference(row, "cheap") for row in rows]
    known = [row for row in rows if row["expert_a"]]
    changes = [difference(row, "expert") - difference(row, "cheap") for row in known]
    error = (stdev(cheap) ** 2 / len(cheap) + stdev(changes) ** 2 / len(changes)) ** 0.5
    return interval(mean(cheap) + mean(changes), error, len(known) - 1)
