"""Quantiles of all simple forecasts of a group, and features that say which of them to trust."""

import numpy as np
from courses import life_courses, repeated
from panel import Panel
from regression import regressed
from seasons import seasons
from smoothing import COLUMNS, FIXED, smoothed, trusted

WIDTH = 1.5
"""The distance of the outer quantiles from the middle, in mean absolute errors."""


def smoothings(panel: Panel, table: np.ndarray, past: np.ndarray) -> tuple[list, list]:
    """Forecasts with their errors by smoothing: with the season taken off, and without."""
    found = []
    for seasonal in (True, False):
        run = smoothed(panel, table - past if seasonal else table)
        chosen = [(columns, 0.5, 0.5) for columns in COLUMNS[:-1]] + [(COLUMNS[-1], 0.7, 0.7)]
        chosen += [(columns, 0.5, 0.5) for columns in FIXED] if seasonal else []
        found.append([trusted(run, *choice) for choice in chosen])
    return found[0], found[1]


def quantiles_of(panel: Panel, forecast: np.ndarray, error: np.ndarray, bent: bool) -> np.ndarray:
    """Quantiles in the units of the problem."""
    return panel.back(np.stack([forecast - WIDTH * error, forecast, forecast + WIDTH * error], axis=2), bent)


def shape_of(values: np.ndarray, rest: np.ndarray) -> list[float]:
    """Features of one series: how its changes are after the season is taken off."""
    moves = np.diff(rest)
    size = moves.std() + 1e-9
    return [
        np.log((moves**4).mean() / size**4 + 0.1),
        (moves[1:] * moves[:-1]).mean() / size**2,
        (moves[2:] * moves[:-2]).mean() / size**2,
        np.abs(moves[-3:]).max() / size,
        (rest[-1] - rest[-13:].mean()) / size,
        np.log(size + 0.001),
        np.log(size / (rest.std() + 1e-9)),
        (values <= values.min() + 1e-9).mean(),
        (moves**3).mean() / size**3 / 3,
        np.log(np.abs(moves[-8:]).mean() / np.abs(moves).mean() + 0.05),
    ]


def shapes_of(panel: Panel, table: np.ndarray, past: np.ndarray) -> np.ndarray:
    """Features of each series: what kind of values it has, its changes, and those of the group."""
    period = [panel.period == period for period in (4, 7, 12)]
    kind = [panel.whole, panel.positive, panel.marks.any()]
    pairs = zip(panel.rows(table), panel.rows(table - past), strict=True)
    own = np.column_stack([[shape_of(*pair) for pair in pairs], np.log(panel.mean / panel.scale)])
    facts = [[*period, np.log(count) - 4, *kind] for count in panel.count]
    return np.column_stack([facts, own, panel.group_mean(own)])


def experts(panel: Panel) -> tuple[np.ndarray, np.ndarray]:
    """Quantiles (series x experts x steps x levels) and features of each series."""
    smooth, direct, strengths, losses = [], [], [], []
    for bent in (False, True):
        table = panel.table(bent)
        past, future, strength = seasons(panel, table)
        with_season, without = smoothings(panel, table, past)
        smooth += [quantiles_of(panel, forecast + future, error, bent) for forecast, error in with_season]
        smooth += [quantiles_of(panel, forecast, error, bent) for forecast, error in without]
        regressions = regressed(panel, table - past)
        direct += [quantiles_of(panel, forecast + future, error, bent) for forecast, error in regressions]
        logs = np.log(np.column_stack([error.mean(axis=1) for _, error in with_season + without]) + 1e-6)
        losses.append(logs[:, 1:] - logs[:, :1])
        strengths.append(strength)
    forecast, error, course = life_courses(panel, table - past)
    life = quantiles_of(panel, forecast + future, error, True)
    lost, uneven = np.concatenate(losses, axis=1), np.full(panel.members, np.ptp(panel.count) > 0)
    parts = [lost, panel.group_mean(lost), *strengths, shapes_of(panel, table, past)]
    features = np.column_stack([*parts, course, panel.group_mean(course), uneven])
    features = np.nan_to_num(features, nan=0, posinf=5, neginf=-5)
    return np.stack([*smooth, *repeated(panel), life, *direct], axis=1), features
