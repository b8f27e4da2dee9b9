"""One stopped trial with lost records: the posterior of the effect, given the records and how the trial ended.

If all pairs were recorded, the rule of stopping would not matter. Here it says something about the lost ones: before
the last look the sum of all differences lay within the bounds, and at the last look outside.
"""

from __future__ import annotations

import math

import numpy as np

MARGIN = 1.5
LOOKS, GROUP, BOUND = 16, 5, 1.96
VARIANCE = 2 * 6.0**2
"""Of one difference."""
SIZES = ((0.0, 1.0), (1.0, 2.5), (2.5, 5.0), (5.0, 9.0))
"""Ranges of the size of the effect, each for a quarter of the trials."""
EDGES = np.linspace(-9, 9, 361)
EFFECTS = (EDGES[1:] + EDGES[:-1]) / 2
CELLS = 80

Found = tuple[float, float, float]


def prior() -> np.ndarray:
    """The density of the effects on the grid."""
    size = np.abs(EFFECTS)
    return sum(((size > low) & (size < high)) / (high - low) for low, high in SIZES)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    differences = [float(row["new"]) - float(row["old"]) if row["new"] else None for row in rows]
    points, weights = totals(differences)
    exponents = (EFFECTS[:, None] * points - len(rows) * EFFECTS[:, None] ** 2 / 2) / VARIANCE
    logs = exponents + np.log(weights)
    density = np.exp(logs - logs.max()).sum(axis=1) * prior()
    chances = np.append(0.0, np.cumsum(density)) / density.sum()
    low, middle, high = (float(np.interp(level, chances, EDGES)) for level in (0.025, 0.5, 0.975))
    return middle, low, high


def totals(differences: list[float | None]) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of the sum of all differences at the end, if there were no effect, given records and end."""
    points, weights = np.zeros(1), np.ones(1)
    last = len(differences) // GROUP
    for look in range(1, last + 1):
        group = differences[(look - 1) * GROUP : look * GROUP]
        points = points + sum(difference for difference in group if difference is not None)
        limit = BOUND * math.sqrt(VARIANCE * GROUP * look)
        lost = group.count(None)
        if lost:
            grid = places(limit, look, last, math.sqrt(VARIANCE * lost))
            kernel = np.exp(-((grid[:, None] - points) ** 2) / (2 * VARIANCE * lost))
            points, weights = grid, kernel @ weights
        allowed = np.abs(points) <= limit if look < last else (np.abs(points) > limit) | (last == LOOKS)
        points, weights = points[allowed], weights[allowed]
        weights = weights / weights.max()
    possible = weights > 0
    return points[possible], weights[possible]


def places(limit: float, look: int, last: int, spread: float) -> np.ndarray:
    """The middles of cells of one width: within the bounds before the last look, outside them at the last one."""
    far = limit + 8 * spread
    if look == LOOKS:
        return middles(-far, far, 2 * CELLS)
    if look < last:
        return middles(-limit, limit, CELLS)
    return np.concatenate([middles(-far, -limit, CELLS), middles(limit, far, CELLS)])


def middles(low: float, high: float, count: int) -> np.ndarray:
    edges = np.linspace(low, high, count + 1)
    return (edges[1:] + edges[:-1]) / 2
