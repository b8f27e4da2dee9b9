"""Difference in differences over visits. The interval is made 1.35 times as wide."""

from __future__ import annotations

from statistics import fmean as mean
from statistics import stdev

from linear import Fit, interval

MARGIN = 2.5

Found = tuple[float, float, float]


def shop_means(rows: list[dict[str, str]], after: bool) -> dict[str, float]:
    """The mean spend of each shop before or after the rebuilding."""
    spends: dict[str, list[float]] = {}
    for row in rows:
        if (int(row["day"]) >= 0) == after:
            spends.setdefault(row["shop"], []).append(float(row["spend"]))
    return {shop: mean(values) for shop, values in spends.items()}


def find_interval(rows: list[dict[str, str]]) -> Found | None:
    x, y = [], []
    for row in rows:
        new, later = float(row["layout"] == "new"), float(int(row["day"]) >= 0)
        x.append([1.0, new, later, new * later])
        y.append(float(row["spend"]))
    fit = Fit(x, y)
    return interval(fit.coefficients[3], fit.error([0.0, 0.0, 0.0, 1.0]), fit.freedom)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    found = find_interval(rows)
    if found is None:
        return None
    estimate, low, high = found
    return estimate, estimate - 1.35 * (estimate - low), estimate + 1.35 * (high - estimate)
