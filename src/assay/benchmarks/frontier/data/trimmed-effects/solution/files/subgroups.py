"""Effects in groups of the first covariate."""

from __future__ import annotations

import numpy as np
from inference import standard_error, upper_tail

GROUPS = (0, 1, 2, 3)


def cut_points(values: np.ndarray) -> tuple[float, float]:
    """The two numbers that divide the observed values into thirds."""
    observed = np.sort(values[~np.isnan(values)])
    count = len(observed)
    first, second = -(-count // 3), -(-2 * count // 3)
    return float(observed[first - 1]), float(observed[second - 1])


def group_of(values: np.ndarray, cuts: tuple[float, float]) -> np.ndarray:
    """The group of each row."""
    groups = np.full(len(values), 3)
    groups[values <= cuts[1]] = 2
    groups[values <= cuts[0]] = 1
    groups[np.isnan(values)] = 0
    return groups


def group_effects(
    parts: np.ndarray, weight: np.ndarray, cluster: np.ndarray, groups: np.ndarray
) -> dict[int, tuple[float, float]]:
    """The effect and its standard error in each group that has rows of two clusters."""
    effects = {}
    for group in GROUPS:
        mine = groups == group
        labels = np.unique(cluster[mine])
        if len(labels) < 2:
            continue
        value = float(np.average(parts[mine], weights=weight[mine]))
        error = standard_error(parts[mine] - value, weight[mine], cluster[mine], labels)
        effects[group] = (value, error)
    return effects


def adjusted(effects: dict[int, tuple[float, float]]) -> dict[int, float]:
    """The p-value of each group, adjusted for the number of groups."""
    raw = {group: upper_tail(value / error) for group, (value, error) in effects.items()}
    order = sorted(raw, key=lambda group: (raw[group], group))
    largest, result = 0.0, {}
    for place, group in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * raw[group]))
        result[group] = largest
    return result
