"""Shrinks the gains towards their mean by the share of their spread that is noise."""

from __future__ import annotations

import math
from statistics import fmean as mean
from statistics import stdev, variance

from linear import interval

MARGIN = 0.25

Found = tuple[float, float, float, str]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    names = [name for name in rows[0] if name not in ("item", "baseline")]
    count = len(rows)
    scores = {name: [float(row[name]) for row in rows] for name in names}
    level = [mean(float(row[name]) for name in names) for row in rows]
    apart = {name: [score - middle for score, middle in zip(scores[name], level, strict=True)] for name in names}
    means = {name: mean(values) for name, values in apart.items()}
    noise = mean(variance(values) for values in apart.values()) / count
    true_variance = max(variance(means.values()) - noise, 0.0)
    kept = true_variance / (true_variance + noise)
    best = max(means, key=lambda name: means[name])
    common = [middle - float(row["baseline"]) for middle, row in zip(level, rows, strict=True)]
    estimate = mean(common) + kept * means[best]
    # The share that is kept is itself uncertain, by about one part in five for thirty variants.
    doubt = (0.25 * (1 - kept) * means[best]) ** 2
    error = math.sqrt(stdev(common) ** 2 / count + kept * noise + doubt)
    return (*interval(estimate, error, count - 1), best)
