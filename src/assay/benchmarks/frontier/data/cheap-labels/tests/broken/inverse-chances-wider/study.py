"""Times 1.05: Cheap marks of all items, corrected by expert marks that are weighed by one over their chance."""

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


def unscaled(rows: list[dict[str, str]]) -> Found | None:
    values = []
    for row in rows:
        value = difference(row, "cheap")
        if row["expert_a"]:
            value += (difference(row, "expert") - difference(row, "cheap")) / float(row["chance"])
        values.append(value)
    return of_mean(values)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    found = unscaled(rows)
    if found is None:
        return None
    estimate, low, high = found
    return estimate, estimate - 1.05 * (estimate - low), estimate + 1.05 * (high - estimate)
