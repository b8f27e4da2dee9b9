"""The expectation over all choices of four trials, with an interval by the bootstrap."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

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
    return sum(math.comb(count - 1 - place, TRIALS - 1) / ways * trials[place][1] for place in range(count))


def bootstrap(rows: list[dict[str, str]], value: Callable[[list[Trial]], float], draws: int = 120) -> Found:
    anchor, probe = trials_of(rows, "anchor"), trials_of(rows, "probe")
    source = random.Random(1)
    estimate = value(probe) - value(anchor)
    again = []
    for _ in range(draws):
        one = sorted(source.choices(probe, k=len(probe)), reverse=True)
        other = sorted(source.choices(anchor, k=len(anchor)), reverse=True)
        again.append(value(one) - value(other))
    middle = sum(again) / draws
    half = 2.1 * math.sqrt(sum((number - middle) ** 2 for number in again) / (draws - 1))
    return estimate, estimate - half, estimate + half


def analyse(rows: list[dict[str, str]]) -> Found | None:
    return bootstrap(rows, expected_best)
