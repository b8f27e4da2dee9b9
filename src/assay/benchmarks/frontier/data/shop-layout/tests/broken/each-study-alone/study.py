"""Analyses each study alone: the mean of a shop after the rebuilding, adjusted for its mean before."""

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


def analyse(rows: list[dict[str, str]]) -> Found | None:
    layouts = {row["shop"]: row["layout"] for row in rows}
    before, after = shop_means(rows, after=False), shop_means(rows, after=True)
    shops = sorted(set(before) & set(after))
    fit = Fit(
        [[1.0, float(layouts[shop] == "new"), before[shop]] for shop in shops],
        [after[shop] for shop in shops],
    )
    return interval(fit.coefficients[1], fit.error([0.0, 1.0, 0.0]), fit.freedom)
