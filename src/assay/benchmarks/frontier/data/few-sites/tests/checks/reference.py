"""One programme: the posterior of its mean effect, over everything that the file does not say exactly.

How much the effects at sites differ is one of four ranges; the spread of scores at a site is known by its deviations.
"""

from __future__ import annotations

import numpy as np

MARGIN = 1.5
EFFECT = 8.0
"""Standard deviation of the mean effects of programmes."""
BETWEEN = ((0.0, 0.0), (0.8, 1.4), (2.5, 3.5), (6.0, 9.0))
"""Ranges of the standard deviation between sites, each for a quarter of the programmes."""
SPREADS = np.linspace(6, 12, 25)[1::2]
"""Standard deviations of the scores at a site, evenly spread."""
NODES = 6
COARSE = np.linspace(-40, 40, 161)
FINE = 300

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    sites: dict[str, dict[str, tuple[float, float, int]]] = {}
    for row in rows:
        cell = float(row["mean"]), float(row["deviation"]) ** 2, int(row["count"])
        sites.setdefault(row["site"], {})[row["arm"]] = cell
    found = []
    for site in sites.values():
        (old, old_variance, count), (new, new_variance, _) = site["old"], site["new"]
        found.append((new - old, (old_variance + new_variance) / 2, count))
    rough = posterior(COARSE, found)
    near = np.flatnonzero(rough > 1e-9 * rough.max())
    edges = np.linspace(COARSE[max(near[0] - 1, 0)], COARSE[min(near[-1] + 1, len(COARSE) - 1)], FINE + 1)
    density = posterior((edges[1:] + edges[:-1]) / 2, found)
    chances = np.append(0.0, np.cumsum(density)) / density.sum()
    low, middle, high = (float(np.interp(level, chances, edges)) for level in (0.025, 0.5, 0.975))
    return middle, low, high


def posterior(effects: np.ndarray, sites: list[tuple[float, float, int]]) -> np.ndarray:
    """The density of the mean effect, up to a factor."""
    between, weights = np.array([point for group in BETWEEN for point in nodes(*group)]).T
    logs = np.tile(np.log(weights)[:, None], len(effects)) - effects**2 / (2 * EFFECT**2)
    for difference, variance, count in sites:
        freedom = 2 * (count - 1)
        fits = -freedom * (np.log(SPREADS) + variance / (2 * SPREADS**2))
        chances = np.exp(fits - fits.max())
        total = between[:, None] ** 2 + 2 * SPREADS**2 / count
        squares = (difference - effects) ** 2
        heights = np.exp(-squares[None, :, None] / (2 * total[:, None, :]))
        logs += np.log((heights @ (chances / np.sqrt(total))[:, :, None])[:, :, 0] + 1e-300)
    return np.exp(logs - logs.max()).sum(axis=0)


def nodes(low: float, high: float) -> list[tuple[float, float]]:
    """Points of a range with their weights, one in all."""
    if low == high:
        return [(low, 1.0)]
    edges = np.linspace(low, high, NODES + 1)
    return [(float(point), 1 / NODES) for point in (edges[1:] + edges[:-1]) / 2]
