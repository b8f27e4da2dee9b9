"""Regressions for each step ahead on the recent past, with weights that the series of a group share."""

import numpy as np
from panel import AHEAD, Panel

YOUNG = 8
"""Steps of a series that are too early to learn from."""


def late(table: np.ndarray, steps: int) -> np.ndarray:
    """The table moved to later steps."""
    return np.concatenate([np.zeros((len(table), steps)), table[:, :-steps]], axis=1)


def levels(values: np.ndarray, there: np.ndarray, rate: float) -> np.ndarray:
    """The smoothed values after each step, the mean as long as it is faster; rate 0 gives the mean."""
    found, level, seen = np.zeros(values.shape), np.zeros(len(values)), np.cumsum(there, axis=1)
    for step in range(values.shape[1]):
        weight = np.maximum(rate, 1 / np.maximum(seen[:, step], 1))
        level = np.where(there[:, step], level + weight * (values[:, step] - level), 0)
        found[:, step] = level
    return found


def inputs_of(panel: Panel, values: np.ndarray, there: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inputs of each series and step: of the series alone, and with means over the group."""
    fast, middle, slow, mean = (values - levels(values, there, rate) for rate in (0.6, 0.3, 0.1, 0.0))
    slope = (values - middle - late(values - middle, 6)) / 3
    moves = np.zeros(values.shape)
    moves[:, 1:] = np.where(there[:, 1:] & there[:, :-1], np.diff(values, axis=1), 0)
    own = [slow, middle, fast, mean / 2, slope, moves, late(moves, 1), late(moves, 2)]
    share = np.maximum(panel.group_mean(there * 1.0), 1e-9)
    group = [
        panel.group_mean(np.where(there, one, 0)) / share for one in (slow, fast, mean / 2, slope, moves)
    ]
    group += [late(group[4], steps) for steps in (1, 2, 3)]
    return np.clip(np.stack(own, axis=2), -12, 12), np.clip(np.stack(own + group, axis=2), -12, 12)


def fitted(inputs: np.ndarray, changes: np.ndarray, price: float) -> tuple[np.ndarray, float]:
    """Weights with a price on large ones, from changes without extremes; and the mean absolute error."""
    limit = 4 * np.median(np.abs(changes)) + 1e-6
    changes = np.clip(changes, -limit, limit)
    weights = np.linalg.solve(inputs.T @ inputs + price * np.eye(inputs.shape[1]), inputs.T @ changes)
    return weights, np.abs(changes - inputs @ weights).mean()


def regressed(panel: Panel, table: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Forecasts and their errors, without and with inputs of the group."""
    there = ~np.isnan(table)
    size = np.array([np.std(np.diff(series)) for series in panel.rows(table)])[:, None] + 1e-6
    values = np.where(there, table / size, 0)
    usable = there & (np.arange(panel.length) - panel.start[:, None] >= YOUNG)
    found = []
    for inputs, price in zip(inputs_of(panel, values, there), (20.0, 40.0), strict=True):
        forecast, error = np.zeros((2, panel.members, AHEAD))
        for steps in range(1, AHEAD + 1):
            good = usable[:, :-steps]
            changes = (values[:, steps:] - values[:, :-steps])[good]
            weights, error[:, steps - 1] = fitted(inputs[:, :-steps][good], changes, price * np.sqrt(steps))
            forecast[:, steps - 1] = values[:, -1] + inputs[:, -1] @ weights
        found.append((forecast * size, error * size))
    return found
