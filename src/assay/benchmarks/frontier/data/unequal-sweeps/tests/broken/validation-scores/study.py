"""The expected validation score of the best of four, with a jackknife interval."""

from __future__ import annotations

import math

from linear import interval

MARGIN = 2.0
TRIALS = 4

Found = tuple[float, float, float]
Trial = tuple[float, float]


def trials_of(rows: list[dict[str, str]], method: str) -> list[Trial]:
    """Validation and test score of each trial, best validation first."""
    return sorted(((float(row["valid"]), float(row["test"])) for row in rows if row["method"] == method), reverse=True)


def expected_best(trials: list[Trial]) -> float:
    """The mean test score of the best by validation, over all choices of four trials."""
    count = len(trials)
    ways = math.comb(count, TRIALS)
    return sum(math.comb(count - 1 - place, TRIALS - 1) / ways * trials[place][0] for place in range(count))


def with_variance(trials: list[Trial]) -> tuple[float, float]:
    """The expectation, and its variance by leaving out each trial once."""
    count = len(trials)
    without = [expected_best(trials[:place] + trials[place + 1 :]) for place in range(count)]
    middle = sum(without) / count
    return expected_best(trials), (count - 1) / count * sum((value - middle) ** 2 for value in without)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    anchor, probe = trials_of(rows, "anchor"), trials_of(rows, "probe")
    (low, low_variance), (high, high_variance) = with_variance(anchor), with_variance(probe)
    return interval(high - low, math.sqrt(low_variance + high_variance), min(len(anchor), len(probe)) - TRIALS)
