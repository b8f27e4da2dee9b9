"""Chooses on one part of the items and measures on the other."""

from __future__ import annotations

import math
from statistics import fmean as mean
from statistics import stdev

from linear import interval

MARGIN = 0.25

Found = tuple[float, float, float, str]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    names = [name for name in rows[0] if name not in ("item", "baseline")]
    choosing = [row for number, row in enumerate(rows) if number % 2 == 0]
    measuring = [row for number, row in enumerate(rows) if number % 2 == 1]
    best = max(names, key=lambda name: mean(float(row[name]) for row in choosing))
    gains = [float(row[best]) - float(row["baseline"]) for row in measuring]
    return (*interval(mean(gains), stdev(gains) / math.sqrt(len(gains)), len(gains) - 1), best)
