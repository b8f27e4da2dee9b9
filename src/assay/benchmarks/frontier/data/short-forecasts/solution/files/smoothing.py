"""Exponential smoothing with many constants at once, and means that trust the constants that did well."""

from itertools import pairwise, product

import numpy as np
from panel import AHEAD, Panel

CHECKED = (1, 2, 3, 5, 8, 11)
"""The steps ahead at which past forecasts are compared with what came."""
FAMILIES = (
    [(rate, 0, 1, 1, 0) for rate in (0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1)],
    [(rate, 0, 1, 1, share) for rate, share in product((0.05, 0.15, 0.35, 0.6), (0.15, 0.4, 0.7))][:-1],
    [(*three, 1, 0) for three in product((0.1, 0.3, 0.6, 1), (0.03, 0.1, 0.3, 0.7), (0.8, 0.9, 0.97))],
    [(rate, 0, 1, pull, 0) for rate, pull in product((0.3, 0.7, 1), (0.6, 0.8, 0.9, 0.96))],
)
"""A level, a level that follows the group, a damped slope, a return to the mean. Each has five constants:
the rate of the level, the rate of the slope, its damping, what is left of the distance from the mean after a
step, and the share of the mean error of the group."""
CONSTANTS = np.array([constants for family in FAMILIES for constants in family], dtype=float)
RATE, SLOPE_RATE, DAMPING, PULL, SHARE = CONSTANTS.T
REACH = np.cumsum([0 * DAMPING] + [DAMPING**step for step in range(1, AHEAD + 1)], axis=0)
"""How many slopes are added up to each step ahead."""
LEFT = [PULL**step for step in range(AHEAD + 1)]
"""What is left of the distance from the mean at each step ahead."""
EDGES = np.cumsum([0] + [len(family) for family in FAMILIES]).tolist()
COLUMNS = [slice(first, last) for first, last in pairwise(EDGES)] + [slice(0, EDGES[-1])]
FIXED = [slice(1, 2), slice(6, 7)]
"""Two single constants, a slow and a fast one."""


def ahead(level: np.ndarray, slope: np.ndarray, mean: np.ndarray, steps: int) -> np.ndarray:
    """The forecast of each series with each of the constants."""
    return mean + LEFT[steps] * (level + REACH[steps] * slope - mean)


class Record:
    """Past forecasts that wait for what comes, and the mean absolute errors of the others."""

    def __init__(self, panel: Panel) -> None:
        self.panel, self.waiting = panel, {}
        self.errors = np.zeros((panel.members, len(CONSTANTS), len(CHECKED)))
        self.counts = np.zeros((panel.members, len(CHECKED)))

    def compare(self, step: int, state: tuple, there: np.ndarray, value: np.ndarray) -> None:
        """Makes forecasts from the state before the step, and compares those that were made for the step."""
        age, young = step - self.panel.start, np.minimum(10, self.panel.count // 3)
        for place, steps in enumerate(CHECKED):
            self.waiting[step + steps - 1, place] = ahead(*state, steps)
            made = self.waiting.pop((step, place), None)
            if made is not None:
                good = there[:, 0] & (age >= steps - 1 + young)
                self.errors[:, :, place] += np.abs(np.where(good[:, None], value - made, 0))
                self.counts[:, place] += good


def spread_of(panel: Panel, table: np.ndarray) -> np.ndarray:
    """The usual size of a change of each series."""
    changes = [np.mean(np.diff(series) ** 2) for series in panel.rows(table)]
    return np.sqrt(np.maximum(changes, 1e-9))[:, None]


def smoothed(panel: Panel, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Forecasts (series x constants x steps), mean absolute errors of the past, and of how many forecasts."""
    present = ~np.isnan(table)
    known, spread, record = np.where(present, table, 0), spread_of(panel, table), Record(panel)
    start = np.where(np.cumsum(present, axis=1) <= 4, known, 0).sum(axis=1)[:, None] / 4
    level, slope = np.repeat(start, len(CONSTANTS), axis=1), np.zeros((panel.members, len(CONSTANTS)))
    total, seen = start * 6, np.full((panel.members, 1), 6.0)
    for step in range(panel.length):
        there, value, mean = present[:, [step]], known[:, [step]], total / seen
        record.compare(step, (level, slope, mean), there, value)
        expected = ahead(level, slope, mean, 1)
        error = np.clip(np.where(there, value - expected, 0), -6 * spread, 6 * spread)
        common = (error / spread).sum(axis=0) / there.sum()
        change = RATE * error + SHARE * common * spread
        level = np.where(there, expected + change, level)
        slope = np.where(there, DAMPING * slope + SLOPE_RATE * change, slope)
        total, seen = total + value, seen + there
    forecasts = [ahead(level, slope, total / seen, steps) for steps in range(1, AHEAD + 1)]
    return np.stack(forecasts, axis=2), record.errors / np.maximum(record.counts, 1)[:, None], record.counts


def trusted(run: tuple, columns: slice, sharpness: float, pooling: float) -> tuple:
    """The mean forecast of some constants by their errors in the series and the group; and its error."""
    forecasts, errors, counts = run
    errors = errors[:, columns]
    own = -(counts[:, None] * np.log(errors + 1e-6)).mean(axis=2)
    own = own - own.max(axis=1, keepdims=True)
    logs = sharpness * (pooling * own.sum(axis=0) + (1 - pooling) * own)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights = (weights / weights.sum(axis=1, keepdims=True))[:, :, None]
    error = (weights * errors).sum(axis=1)
    steps = np.arange(1, AHEAD + 1)
    return (weights * forecasts[:, columns]).sum(axis=1), np.array(
        [np.interp(steps, CHECKED, row) for row in error]
    )
