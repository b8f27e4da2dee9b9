"""Corrects the cheap marks separately for items with and without doubt."""

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
    estimate = variance = 0.0
    for doubt in ("0", "1"):
        stratum = [row for row in rows if row["doubt"] == doubt]
        known = [row for row in stratum if row["expert_a"]]
        share = len(stratum) / len(rows)
        cheap = [difference(row, "cheap") for row in stratum]
        changes = [difference(row, "expert") - difference(row, "cheap") for row in known]
        estimate += share * (mean(cheap) + mean(changes))
        variance += share**2 * (stdev(cheap) ** 2 / len(cheap) + stdev(changes) ** 2 / len(changes))
        variance += share * (mean(cheap) + mean(changes)) ** 2 / len(rows)
    variance -= estimate**2 / len(rows)
    return interval(estimate, variance**0.5, len(rows) - 2)
