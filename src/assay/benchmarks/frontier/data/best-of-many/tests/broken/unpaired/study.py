"""The best mean and an interval of two independent means."""

from __future__ import annotations

import math
from statistics import fmean as mean
from statistics import stdev

from linear import interval

MARGIN = 0.25

Found = tuple[float, float, float, str]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    names = [name for name in rows[0] if name not in ("item", "baseline")]
    scores = {name: [float(row[name]) for row in rows] for name in (*names, "baseline")}
    best = max(names, key=lambda name: mean(scores[name]))
    error = math.hypot(stdev(scores[best]), stdev(scores["baseline"])) / math.sqrt(len(rows))
    return (*interval(mean(scores[best]) - mean(scores["baseline"]), error, 2 * len(rows) - 2), best)
