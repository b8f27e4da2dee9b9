"""Times 1.15: The product-limit estimate, with each pump at risk only while it is in view."""

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
    """The chance to reach the age, and its variance by Greenwood's formula."""
    chance, total = 1.0, 0.0
    for age in sorted({end for _, end, failed in units if failed and end < AGE}):
        at_risk = sum(begin < age <= end for begin, end, _ in units)
        failures = sum(failed and end == age for _, end, failed in units)
        chance *= 1 - failures / at_risk
        if at_risk > failures:
            total += failures / (at_risk * (at_risk - failures))
    return chance, chance**2 * total


def unscaled(rows: list[dict[str, str]]) -> Found | None:
    (oak, oak_variance), (elm, elm_variance) = survival(units_of(rows, "oak")), survival(units_of(rows, "elm"))
    return interval(100 * (elm - oak), 100 * math.sqrt(oak_variance + elm_variance), 10_000)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    found = unscaled(rows)
    if found is None:
        return None
    estimate, low, high = found
    return estimate, estimate - 1.15 * (estimate - low), estimate + 1.15 * (high - estimate)
