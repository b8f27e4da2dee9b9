"""Means with their standard errors; no score is reported without one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Estimate:
    """A score, how far it may be off by the choice of its items, and what it is made of."""

    score: float
    standard_error: float
    number: int
    """how many items were scored"""
    parts: Mapping[str, Estimate] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.score:.4f} ± {self.standard_error:.4f} (n = {self.number})"


def mean_of(values: Sequence[float]) -> Estimate:
    """The plain mean; the items are taken as independent."""
    number = len(values)
    if number == 0:
        raise ValueError("a mean of no items is unknown")
    mean = math.fsum(values) / number
    if number == 1:
        return Estimate(mean, math.inf, 1)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return Estimate(mean, math.sqrt(squares / (number - 1) / number), number)


def clustered(groups: Mapping[str, Sequence[float]]) -> Estimate:
    """The mean over all items, with the error of a sample of groups: items of a group are not independent."""
    parts = {name: mean_of(values) for name, values in groups.items()}
    whole = ratio([(math.fsum(values), float(len(values))) for values in groups.values()])
    return Estimate(whole.score, whole.standard_error, sum(len(values) for values in groups.values()), parts)


def ratio(pairs: Sequence[tuple[float, float]]) -> Estimate:
    """Sum over sum, with the error of a ratio of sampled pairs (linearised)."""
    number, below = len(pairs), math.fsum(weight for _, weight in pairs)
    if number == 0 or below == 0:
        raise ValueError("a ratio of no items is unknown")
    value = math.fsum(total for total, _ in pairs) / below
    if number == 1:
        return Estimate(value, math.inf, 1)
    squares = math.fsum((total - value * weight) ** 2 for total, weight in pairs)
    return Estimate(value, math.sqrt(squares * number / (number - 1)) / below, number)


def average(parts: Mapping[str, Estimate]) -> Estimate:
    """The mean of several scores, each of the same weight; their errors are independent."""
    number = len(parts)
    if number == 0:
        raise ValueError("an average of no scores is unknown")
    score = math.fsum(part.score for part in parts.values()) / number
    error = math.sqrt(math.fsum(part.standard_error**2 for part in parts.values())) / number
    return Estimate(score, error, sum(part.number for part in parts.values()), dict(parts))
