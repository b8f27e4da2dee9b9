"""One stopped trial: effects under which an end this early or earlier on this side is not improbable.

Ends are ordered by stage: an end above the bound is more extreme the earlier it came, then by its size. For effects on
a grid the chance of every end follows stage by stage from the density of the running sum.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

MARGIN = 1.5
LOOKS, GROUP, NOISE, BOUND = 16, 5, 6.0, 1.96
STEP = NOISE * math.sqrt(2 * GROUP)
"""Standard deviation of the sum of one group's differences."""
EFFECTS = np.linspace(-16, 16, 161)
CELLS = 121

Found = tuple[float, float, float]


def tail(value: np.ndarray) -> np.ndarray:
    """The upper tail of the normal distribution, to seven decimals (Abramowitz and Stegun, 7.1.26)."""
    size = np.abs(value) / math.sqrt(2)
    part = 1 / (1 + 0.3275911 * size)
    series = part * (0.254829592 + part * (-0.284496736 + part * (1.421413741 + part * (-1.453152027 + part * 1.061405429))))
    upper = 0.5 * series * np.exp(-(size**2))
    return np.where(value >= 0, upper, 1 - upper)


@cache
def stages() -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray, np.ndarray]:
    """For each look: points and density (effect × point) of the sum before it; chances of ends above and below."""
    drift = EFFECTS[:, None] * GROUP
    points, densities = [np.zeros(1)], [np.ones((len(EFFECTS), 1))]
    above, below = [], []
    for look in range(1, LOOKS + 1):
        limit = BOUND * STEP * math.sqrt(look)
        above.append(ends(points[-1], densities[-1], drift, limit))
        below.append(ends(-points[-1], densities[-1], -drift, limit))
        grid = np.linspace(-limit, limit, CELLS)
        width = grid[1] - grid[0]
        shift = grid[None, :] - points[-1][:, None]
        kernel = np.exp(-(shift**2) / (2 * STEP**2)) * width / (STEP * math.sqrt(2 * math.pi))
        tilt = np.exp(drift * grid / STEP**2 - drift**2 / (2 * STEP**2))
        before = densities[-1] * np.exp(-drift * points[-1] / STEP**2)
        inner = (before @ kernel) * tilt
        inner[:, [0, -1]] /= 2
        points.append(grid)
        densities.append(inner)
    return points, densities, np.array(above), np.array(below)


def ends(points: np.ndarray, density: np.ndarray, drift: np.ndarray, limit: float) -> np.ndarray:
    """The chance that the next sum exceeds a limit, for each effect."""
    return (density * tail((limit - points - drift) / STEP)).sum(axis=1)


def chance_of_more(look: int, total: float) -> np.ndarray:
    """The chance, for each effect, of an end that speaks at least as much for a high effect as the observed one."""
    points, densities, above, below = stages()
    drift = EFFECTS[:, None] * GROUP
    limit = BOUND * STEP * math.sqrt(look)
    if total < -limit:
        less = below[: look - 1].sum(axis=0) + ends(-points[look - 1], densities[look - 1], -drift, -total)
        return 1 - less
    earlier = above[: look - 1].sum(axis=0)
    return earlier + ends(points[look - 1], densities[look - 1], drift, total)


def analyse(rows: list[dict[str, str]]) -> Found | None:
    total = sum(float(row["new"]) - float(row["old"]) for row in rows)
    chances = np.maximum.accumulate(chance_of_more(len(rows) // GROUP, total))
    low, middle, high = (float(np.interp(level, chances, EFFECTS)) for level in (0.025, 0.5, 0.975))
    return middle, low, high
