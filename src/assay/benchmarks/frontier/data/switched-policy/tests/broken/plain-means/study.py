"""The plain difference of all ticks."""

from __future__ import annotations

import math

from linear import Fit, interval

MARGIN = 0.8

Found = tuple[float, float, float]


def hours(row: dict[str, str]) -> list[float]:
    """The daily cycle as two waves of one day and two of half a day."""
    angle = 2 * math.pi * int(row["hour"]) / 24
    return [math.sin(angle), math.cos(angle), math.sin(2 * angle), math.cos(2 * angle)]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    fit = Fit([[1.0, float(row["policy"] == "tuned")] for row in rows], [float(row["load"]) for row in rows])
    return interval(fit.coefficients[1], fit.error([0.0, 1.0]), fit.freedom)
