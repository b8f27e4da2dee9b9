"""Failures over time at risk in steps of five weeks, as a hazard that is constant in each step."""

from __future__ import annotations

import math

from linear import interval

MARGIN = 12.0
AGE = 100.0

Found = tuple[float, float, float]
Unit = tuple[float, float, bool]


def units_of(rows: list[dict[str, str]], make: str) -> list[Unit]:
    """Age at the beginning and at the end of the time in view, and whether the pump failed then."""
    return [
        (float(row["taken_over"]), float(row["last_age"]), row["failed"] == "1") for row in rows if row["make"] == make
    ]


def survival(units: list[Unit]) -> tuple[float, float]:
    total = variance = 0.0
    for low in range(0, 100, 5):
        high = low + 5
        time = sum(max(0.0, min(end, high) - max(begin, low)) for begin, end, _ in units)
        failures = sum(failed and low < end <= high for _, end, failed in units)
        if time > 0:
            total += 5 * failures / time
            variance += 25 * failures / time**2
    chance = math.exp(-total)
    return chance, chance**2 * variance


def analyse(rows: list[dict[str, str]]) -> Found | None:
    (oak, oak_variance), (elm, elm_variance) = survival(units_of(rows, "oak")), survival(units_of(rows, "elm"))
    return interval(100 * (elm - oak), 100 * math.sqrt(oak_variance + elm_variance), 10_000)
