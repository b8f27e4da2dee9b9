"""The share of failed pumps that reached the age."""

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
    """The share of pumps that reached the age."""
    known = [end >= AGE for _, end, failed in units if failed]
    chance = sum(known) / len(known)
    return chance, chance * (1 - chance) / len(known)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    (oak, oak_variance), (elm, elm_variance) = survival(units_of(rows, "oak")), survival(units_of(rows, "elm"))
    return interval(100 * (elm - oak), 100 * math.sqrt(oak_variance + elm_variance), 10_000)
