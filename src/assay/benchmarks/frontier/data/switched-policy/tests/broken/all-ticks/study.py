"""The second half of each turn, adjusted for the hour, with the turn as unit."""

from __future__ import annotations

import math

from linear import Fit, interval

MARGIN = 0.8

Found = tuple[float, float, float]


def hours(row: dict[str, str]) -> list[float]:
    """The daily cycle as two waves of one day and two of half a day."""
    angle = 2 * math.pi * int(row["hour"]) / 24
    return [math.sin(angle), math.cos(angle), math.sin(2 * angle), math.cos(2 * angle)]


def settled(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows of the second half of each turn."""
    length = sum(row["turn"] == rows[0]["turn"] for row in rows)
    return [row for place, row in enumerate(rows) if place % length >= (length + 1) // 2]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    kept = rows
    x = [[1.0, float(row["policy"] == "tuned"), *hours(row)] for row in kept]
    fit = Fit(x, [float(row["load"]) for row in kept])
    turns = [row["turn"] for row in kept]
    error = fit.clustered_error([float(place == 1) for place in range(6)], turns)
    return interval(fit.coefficients[1], error, len(set(turns)) - 2)
