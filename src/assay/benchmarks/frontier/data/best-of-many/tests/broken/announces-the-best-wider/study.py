"""Takes the variant with the highest mean and its plain interval, times a constant."""

from __future__ import annotations

import math
from statistics import fmean as mean
from statistics import stdev

from linear import interval

MARGIN = 0.25

Found = tuple[float, float, float, str]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    names = [name for name in rows[0] if name not in ("item", "baseline")]
    gains = {name: [float(row[name]) - float(row["baseline"]) for row in rows] for name in names}
    best = max(names, key=lambda name: mean(gains[name]))
    error = 1.45 * stdev(gains[best]) / math.sqrt(len(rows))
    return (*interval(mean(gains[best]), error, len(rows) - 1), best)
