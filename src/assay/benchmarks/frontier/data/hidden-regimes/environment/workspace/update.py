"""New parameters from the states of all training series."""

from __future__ import annotations

import numpy as np
from model import Model
from recursions import pair_states, smoothed_states
from series import Series, Settings


def new_chain(
    firsts: np.ndarray, counts: np.ndarray, pseudo: float, sticky: float
) -> tuple[np.ndarray, np.ndarray]:
    """Initial states and transitions from expected counts."""
    initial = firsts + pseudo
    transition = counts + pseudo + sticky * np.eye(len(firsts))
    return initial / initial.sum(), transition / transition.sum(axis=1)[:, None]


def new_means(states: np.ndarray, values: np.ndarray, centres: np.ndarray, strength: float) -> np.ndarray:
    """Means that are drawn to the centres."""
    seen = ~np.isnan(values)
    sums = states.T @ np.where(seen, values, 0.0)
    weight = states.T @ seen
    return (sums + strength * centres) / (weight + strength)


def new_variances(
    states: np.ndarray, values: np.ndarray, means: np.ndarray, spread: float, floor: float = 0.05
) -> np.ndarray:
    """Variances around the means, drawn to one."""
    seen = ~np.isnan(values)
    squares = np.where(seen[:, None, :], (values[:, None, :] - means[None]) ** 2, 0.0)
    sums = np.einsum("tk,tkd->kd", states, squares)
    weight = states.sum(axis=0)[:, None]
    return np.maximum((sums + spread) / (weight + spread), floor)


def improved(
    model: Model, training: list[Series], settings: Settings, centres: np.ndarray, temper: float
) -> Model:
    """One step of fitting."""
    states = [smoothed_states(model, series, temper) for series in training]
    firsts = sum(state[0] for state in states)
    counts = np.zeros((model.size, model.size))
    for series in training:
        pairs = pair_states(model, series, temper)
        counts += pairs.sum(axis=0)
    initial, transition = new_chain(firsts, counts, settings.pseudo, settings.sticky)
    pooled, values = np.vstack(states), np.vstack([series.values for series in training])
    means = new_means(pooled, values, centres, settings.strength)
    variances = new_variances(pooled, values, model.means, settings.spread)
    return Model(initial, transition, means, variances)
