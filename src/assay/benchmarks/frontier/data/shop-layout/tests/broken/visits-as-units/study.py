"""Every visit is a sample of its own."""

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


def two_samples(new: list[float], old: list[float]) -> Found:
    error = (stdev(new) ** 2 / len(new) + stdev(old) ** 2 / len(old)) ** 0.5
    return interval(mean(new) - mean(old), error, len(new) + len(old) - 2)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    later = [row for row in rows if int(row["day"]) >= 0]
    new = [float(row["spend"]) for row in later if row["layout"] == "new"]
    return two_samples(new, [float(row["spend"]) for row in later if row["layout"] == "old"])
