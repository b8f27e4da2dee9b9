"""Rows that stay in the analysis."""

from __future__ import annotations

import numpy as np

AUTO = "auto"


def costs(propensity: np.ndarray) -> np.ndarray:
    """What each row costs in variance."""
    return 1.0 / (propensity * (1.0 - propensity))


def by_bound(propensity: np.ndarray, weight: np.ndarray, bound: float) -> tuple[np.ndarray, float]:
    """Rows whose propensity keeps the bound on both sides, and their mean cost."""
    kept = (propensity >= bound) & (propensity < 1.0 - bound)
    return kept, float(np.average(costs(propensity)[kept], weights=weight[kept]))


def by_variance(propensity: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, float]:
    """Rows that do not cost more variance than twice the average, and this average."""
    cost = costs(propensity)
    order = np.argsort(cost, kind="stable")
    ordered = cost[order]
    running = np.cumsum(weight * ordered) / np.cumsum(weight)
    last = np.flatnonzero(ordered <= 2.0 * running)[-1]
    return cost <= ordered[last], float(running[last])


def kept_rows(propensity: np.ndarray, weight: np.ndarray, trim: float | str) -> tuple[np.ndarray, float]:
    """A mask of the rows that stay, and their level of cost."""
    if trim == AUTO:
        return by_variance(propensity, weight)
    return by_bound(propensity, weight, float(trim))
