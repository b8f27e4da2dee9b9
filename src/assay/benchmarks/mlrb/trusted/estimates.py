"""Means with their standard errors; no score is reported without one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Estimate:
    """A score, its standard error from the choice of items, and its parts."""

    score: float
    standard_error: float
    number: int
    """How many items were scored."""
    parts: Mapping[str, Estimate] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.score:.4f} ± {self.standard_error:.4f} (n = {self.number})"


def mean_of(values: Sequence[float]) -> Estimate:
    """Return the plain mean, with the items treated as independent."""
    number = len(values)
    if number == 0:
        raise ValueError("a mean of no items is unknown")
    mean = math.fsum(values) / number
    if number == 1:
        return Estimate(mean, math.inf, 1)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return Estimate(mean, math.sqrt(squares / (number - 1) / number), number)


def clustered(groups: Mapping[str, Sequence[float]]) -> Estimate:
    """Return the mean over all items, with the error of a sample of groups of dependent items."""
    parts = {name: mean_of(values) for name, values in groups.items()}
    overall = ratio([(math.fsum(values), float(len(values))) for values in groups.values()])
    return Estimate(
        overall.score, overall.standard_error, sum(len(values) for values in groups.values()), parts
    )


def ratio(pairs: Sequence[tuple[float, float]]) -> Estimate:
    """Return sum over sum, with the error of a ratio of sampled pairs (linearised)."""
    number, denominator = len(pairs), math.fsum(weight for _, weight in pairs)
    if number == 0 or denominator == 0:
        raise ValueError("a ratio of no items is unknown")
    value = math.fsum(total for total, _ in pairs) / denominator
    if number == 1:
        return Estimate(value, math.inf, 1)
    squares = math.fsum((total - value * weight) ** 2 for total, weight in pairs)
    return Estimate(value, math.sqrt(squares * number / (number - 1)) / denominator, number)


def average(parts: Mapping[str, Estimate]) -> Estimate:
    """Return the mean of several scores with equal weights and independent errors."""
    number = len(parts)
    if number == 0:
        raise ValueError("an average of no scores is unknown")
    score = math.fsum(part.score for part in parts.values()) / number
    error = math.sqrt(math.fsum(part.standard_error**2 for part in parts.values())) / number
    return Estimate(score, error, sum(part.number for part in parts.values()), dict(parts))
