"""The best trial of each sweep."""

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


def bootstrap(rows: list[dict[str, str]], value: Callable[[list[Trial]], float], draws: int = 60) -> Found:
    anchor, probe = trials_of(rows, "anchor"), trials_of(rows, "probe")
    source = random.Random(1)
    estimate = value(probe) - value(anchor)
    again = []
    for _ in range(draws):
        one = sorted(source.choices(probe, k=len(probe)), reverse=True)
        other = sorted(source.choices(anchor, k=len(anchor)), reverse=True)
        again.append(value(one) - value(other))
    middle = sum(again) / draws
    half = 1.96 * math.sqrt(sum((number - middle) ** 2 for number in again) / (draws - 1))
    return estimate, estimate - half, estimate + half


def analyse(rows: list[dict[str, str]]) -> Found | None:
    return bootstrap(rows, lambda trials: trials[0][1])
