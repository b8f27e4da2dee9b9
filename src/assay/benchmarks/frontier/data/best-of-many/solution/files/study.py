"""Shrinks the gains towards their mean, over all spreads of true gains that the data allow."""

from __future__ import annotations

import math
from statistics import NormalDist, variance
from statistics import fmean as mean

MARGIN = 0.25
BASELINE_RUNS = 7
WIDEST = 4.0
"""The largest spread of true gains that is considered, in units of the noise of a mean score."""
STEPS = 48

Found = tuple[float, float, float, str]
Parts = list[tuple[float, float, float]]
"""Normal distributions: weight, mean and standard deviation of each."""


def quantile(parts: Parts, level: float) -> float:
    low = min(middle - 8 * spread for _, middle, spread in parts)
    high = max(middle + 8 * spread for _, middle, spread in parts)
    normal = NormalDist()
    for _ in range(30):
        place = (low + high) / 2
        if sum(weight * normal.cdf((place - middle) / spread) for weight, middle, spread in parts) < level:
            low = place
        else:
            high = place
    return (low + high) / 2


def kept_shares(squares: float, count: int, noise: float) -> list[tuple[float, float]]:
    """The share of a deviation that is true, with its weight, for every spread of the true gains alike."""
    logs = []
    for step in range(STEPS):
        true_variance = (WIDEST * (step + 0.5) / STEPS) ** 2 * noise
        whole = true_variance + noise
        logs.append((-(count - 1) / 2 * math.log(whole) - squares / (2 * whole), true_variance / whole))
    top = max(log for log, _ in logs)
    weights = [(math.exp(log - top), kept) for log, kept in logs if log > top - 12]
    total = sum(weight for weight, _ in weights)
    return [(weight / total, kept) for weight, kept in weights]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    names = [name for name in rows[0] if name not in ("item", "baseline")]
    scores = {name: [float(row[name]) for row in rows] for name in names}
    level = [mean(values) for values in zip(*scores.values(), strict=True)]
    apart = {name: [a - b for a, b in zip(values, level, strict=True)] for name, values in scores.items()}
    means = {name: mean(values) for name, values in apart.items()}
    count = len(names)
    noise = mean(variance(values) for values in apart.values()) * count / (count - 1) / len(rows)
    best = max(means, key=lambda name: means[name])
    middle = mean(level) - mean(float(row["baseline"]) for row in rows)
    # One run has the same noise in every system, so the noise of the baseline is known from the variants.
    common = noise * (1 / BASELINE_RUNS + 1 / count)
    shares = kept_shares(sum(value**2 for value in means.values()), count, noise)
    parts = [
        (weight, middle + kept * means[best], math.sqrt(common + kept * noise * (1 - 1 / count)))
        for weight, kept in shares
    ]
    estimate = sum(weight * place for weight, place, _ in parts)
    return estimate, quantile(parts, 0.025), quantile(parts, 0.975), best
