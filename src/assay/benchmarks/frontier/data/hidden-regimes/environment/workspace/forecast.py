"""Forecasts in the units of the data."""

from __future__ import annotations

import numpy as np
from model import Model, power
from recursions import forward
from scaling import Scale
from series import Series


def mixture(model: Model, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of an observation whose state is uncertain."""
    mean = states @ model.means
    square = states @ (model.variances + model.means**2)
    return mean, square - mean**2


def ahead(model: Model, series: Series, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance some steps of time after the last row."""
    states = forward(model, series).filtered[-1] @ power(model.transition, horizon)
    return mixture(model, states)


def rolling_score(model: Model, many: list[Series], burn: int, scale: Scale) -> float:
    """The mean log density of a row given earlier ones, in the units of the data, after `burn` steps."""
    scores = []
    for series in many:
        late = series.times - series.times[0] >= burn
        correction = series.observed @ np.log(scale.deviation)
        scores.append((forward(model, series).scores - correction)[late & series.observed.any(axis=1)])
    return float(np.concatenate(scores).mean())


def forecast_numbers(model: Model, many: list[Series], horizon: int, scale: Scale) -> dict[str, float]:
    """Mean forecasts over series, for the first and the last dimension."""
    pairs = [ahead(model, series, horizon) for series in many]
    mean = scale.undo_mean(np.mean([mean for mean, _ in pairs], axis=0))
    variance = scale.undo_variance(np.mean([variance for _, variance in pairs], axis=0))
    return {
        "mean_first": float(mean[0]),
        "mean_last": float(mean[-1]),
        "variance_first": float(variance[0]),
        "variance_last": float(variance[-1]),
    }
