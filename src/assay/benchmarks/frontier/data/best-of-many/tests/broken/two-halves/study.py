"""Shrinks the gain of the best variant by how well two halves of the items agree about the variants."""

from __future__ import annotations

import math
import random
from statistics import correlation, variance
from statistics import fmean as mean

from linear import interval

MARGIN = 0.25
SPLITS = 20

Found = tuple[float, float, float, str]


def agreement(gains: dict[str, list[float]]) -> float:
    """The mean correlation of the variants' gains in two random halves, for all items together."""
    source = random.Random(0)
    numbers = list(range(len(next(iter(gains.values())))))
    correlations = []
    for _ in range(SPLITS):
        source.shuffle(numbers)
        halves = numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]
        correlations.append(correlation(*([mean(own[i] for i in half) for own in gains.values()] for half in halves)))
    half = max(mean(correlations), 0.0)
    return 2 * half / (1 + half)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    names = [name for name in rows[0] if name not in ("item", "baseline")]
    count = len(rows)
    level = [mean(float(row[name]) for name in names) for row in rows]
    gains = {name: [float(row[name]) - middle for row, middle in zip(rows, level, strict=True)] for name in names}
    kept = agreement(gains)
    best = max(names, key=lambda name: mean(gains[name]))
    common = [middle - float(row["baseline"]) for middle, row in zip(level, rows, strict=True)]
    noise = mean(variance(own) for own in gains.values()) / count
    error = math.sqrt(variance(common) / count + noise * (1 + kept) / 2)
    return (*interval(mean(common) + kept * mean(gains[best]), error, count - 1), best)
