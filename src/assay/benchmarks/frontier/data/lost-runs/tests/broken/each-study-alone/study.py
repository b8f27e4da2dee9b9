"""Analyses each study alone: medians over all jobs that could have ended; one without a line is the worst."""

from __future__ import annotations

import math
from statistics import NormalDist

MARGIN = 0.25

Found = tuple[float, float, float]


def losses(rows: list[dict[str, str]], optimiser: str) -> list[float]:
    """The losses of the jobs on working machines, in order; those that left no line are infinite."""
    own = [row for row in rows if row["optimiser"] == optimiser]
    known = [float(row["loss"]) for row in own if row["status"] == "done"]
    overflowed = int(rows[0]["planned"]) - len(own)
    return sorted(known) + [math.inf] * overflowed


def median_with_error(values: list[float]) -> tuple[float, float]:
    """The median and its standard error from two order statistics."""
    count = len(values)
    middle = (values[(count - 1) // 2] + values[count // 2]) / 2
    place = max(1, round((count + 1) / 2 - math.sqrt(count)))
    tail = sum(math.comb(count, k) for k in range(place)) / 2**count
    z = NormalDist().inv_cdf(1 - tail)
    return middle, (values[count - place] - values[place - 1]) / (2 * z)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    calm, calm_error = median_with_error(losses(rows, "calm"))
    bold, bold_error = median_with_error(losses(rows, "bold"))
    error = math.hypot(calm_error, bold_error)
    if not math.isfinite(error):
        return None
    half = NormalDist().inv_cdf(0.975) * error
    return bold - calm, bold - calm - half, bold - calm + half
