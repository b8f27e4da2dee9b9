"""Medians with the jobs without a line as infinite losses; interval by the bootstrap."""

from __future__ import annotations

import math
import random

MARGIN = 0.25

Found = tuple[float, float, float]


def losses(rows: list[dict[str, str]], optimiser: str) -> list[float]:
    """The losses of the jobs on working machines, in order; those that left no line are infinite."""
    own = [row for row in rows if row["optimiser"] == optimiser]
    known = [float(row["loss"]) for row in own if row["status"] == "done"]
    overflowed = int(rows[0]["planned"]) - len(own)
    return sorted(known) + [math.inf] * overflowed


def median(values: list[float]) -> float:
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def analyse(rows: list[dict[str, str]]) -> Found | None:
    calm, bold = losses(rows, "calm"), losses(rows, "bold")
    if not math.isfinite(median(bold)) or not math.isfinite(median(calm)):
        return None
    source = random.Random(1)
    draws = []
    for _ in range(300):
        again = median(source.choices(bold, k=len(bold))) - median(source.choices(calm, k=len(calm)))
        draws.append(again)
    draws.sort()
    if not math.isfinite(draws[292]):
        return None
    estimate = median(bold) - median(calm)
    return estimate, min(draws[7], estimate), max(draws[292], estimate)
