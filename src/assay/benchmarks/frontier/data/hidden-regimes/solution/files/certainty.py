"""How certain the states are, with less or more knowledge of later rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from model import Model
from recursions import forward, pair_states, smoothed_states
from series import Series


def entropy(states: np.ndarray) -> np.ndarray:
    """The entropy of each row, in bits."""
    positive = np.where(states > 0, states, 1.0)
    return -(states * np.log2(positive)).sum(axis=1)


def lagged_states(model: Model, series: Series, lag: int) -> np.ndarray:
    """The probability of each state in each row, given the rows up to `lag` later."""
    result = np.empty((len(series), model.size))
    for row in range(len(series)):
        end = int(np.searchsorted(series.times, series.times[row] + lag, side="right"))
        start = replace(series, times=series.times[:end], values=series.values[:end])
        result[row] = smoothed_states(model, start)[row]
    return result


def change_chances(model: Model, series: Series) -> np.ndarray:
    """For each row but the first, the probability that its state differs from that of the row before."""
    pairs = pair_states(model, series)
    return 1.0 - np.trace(pairs, axis1=1, axis2=2)


def certainty_numbers(model: Model, many: list[Series], lag: int) -> dict[str, float]:
    """Mean entropies over all rows, and the expected number of changes."""
    filtered = np.concatenate([entropy(forward(model, series).filtered) for series in many])
    lagged = np.concatenate([entropy(lagged_states(model, series, lag)) for series in many])
    smoothed = np.concatenate([entropy(smoothed_states(model, series)) for series in many])
    return {
        "filtered": float(filtered.mean()),
        "lagged": float(lagged.mean()),
        "smoothed": float(smoothed.mean()),
        "changes": float(sum(change_chances(model, series).sum() for series in many)),
    }
