"""Forecasts from the last season, from all past values, and from what older series did at the same age."""

import numpy as np
from panel import AHEAD, Panel

LEVELS = (0.1, 0.5, 0.9)
HALF_LIVES = (12, 60)
FADING = 0.85


def past_quantiles(values: np.ndarray, half_life: float) -> np.ndarray:
    """Quantiles of the past values, where old ones count less."""
    order = np.argsort(values)
    weights = (0.5 ** (np.arange(len(values))[::-1] / half_life))[order]
    places = (np.cumsum(weights) - 0.5 * weights) / weights.sum()
    return np.interp(LEVELS, places, values[order])


def repeated(panel: Panel) -> list[np.ndarray]:
    """Quantiles from the last season, from the mean of the last three, of the past with two half-lives."""
    found, steps, period = np.zeros((4, panel.members, AHEAD, 3)), np.arange(AHEAD), panel.period
    for row, values in enumerate(panel.rows(panel.values)):
        error = 1.2 * np.abs(values[period:] - values[:-period]).mean() * np.array([-1.0, 0.0, 1.0])
        count = min(3, len(values) // period)
        seasons = [values[len(values) - period * ago + steps % period] for ago in range(1, count + 1)]
        found[0, row] = seasons[0][:, None] + error
        found[1, row] = np.mean(seasons, axis=0)[:, None] + error
        for place, half_life in enumerate(HALF_LIVES):
            found[2 + place, row] = past_quantiles(values, half_life)
    return list(found)


def centred_mean(values: np.ndarray) -> np.ndarray:
    """The mean of seven values around each, fewer at the ends."""
    return np.array([values[max(0, step - 3) : step + 4].mean() for step in range(len(values))])


def growth(values: np.ndarray, others: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """How much the others grew at the same ages, by how near they were before; where any is old enough."""
    count = len(values)
    ages = np.arange(count, count + AHEAD)
    total, weight = np.zeros((2, AHEAD))
    for other in others:
        steps, shared = np.arange(len(other)), min(count, len(other))
        near = slice(max(0, shared - 20), shared)
        change = np.interp(ages, steps, other) - np.interp(count - 2.5, steps, other)
        trust = (ages < len(other)) / (0.02 + np.var(values[near] - other[near]))
        total, weight = total + trust * change, weight + trust
    return total / np.maximum(weight, 1e-9), weight > 0


def life_courses(panel: Panel, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Forecasts from the growth of older series, their errors, and features of each course."""
    fading = np.cumsum(FADING ** np.arange(AHEAD)) + 1.5
    series = panel.rows(table)
    smooth = [centred_mean(values) for values in series]
    forecasts, spreads, features = [], [], []
    for member, values in enumerate(series):
        level, slope = values[-4:].mean(), np.polyfit(np.arange(8), values[-8:], 1)[0]
        grown, older = growth(values, smooth[:member] + smooth[member + 1 :])
        forecasts.append(level + np.where(older, grown, slope * fading))
        spread, mean, size = np.std(np.diff(values)), values.mean(), values.std() + 1e-6
        spreads.append(spread)
        ends = (values[:4].mean() - mean) / size, (level - mean) / size
        features.append([older.mean(), slope / (spread + 1e-6), *ends])
    errors = 0.8 * np.array(spreads)[:, None] * np.sqrt(np.arange(1, AHEAD + 1) * 0.5 + 0.5)
    return np.array(forecasts), errors, np.array(features)
