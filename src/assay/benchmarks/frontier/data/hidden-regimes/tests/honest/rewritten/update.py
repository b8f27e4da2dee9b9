"""New parameters, added up series by series."""

import numpy as np

from model import Model
from recursions import pair_states, smoothed_states


def improved(model, training, settings, centres, temper):
    firsts = np.full(model.size, settings.pseudo)
    counts = settings.pseudo + settings.sticky * np.eye(model.size)
    weight, sums = np.zeros(centres.shape), np.zeros(centres.shape)
    known = [(series, smoothed_states(model, series, temper)) for series in training]
    for series, states in known:
        firsts += states[0]
        for gap, pair in zip(series.gaps, pair_states(model, series, temper)):
            if gap < 2:
                counts += pair
        weight += states.T @ series.observed
        sums += states.T @ np.nan_to_num(series.values)
    means = (sums + settings.strength * centres) / (weight + settings.strength)
    squares = np.full(centres.shape, settings.spread)
    for series, states in known:
        for state in range(model.size):
            squares[state] += states[:, state] @ np.nan_to_num((series.values - means[state]) ** 2)
    variances = squares / (weight + settings.spread)
    variances[variances < settings.floor] = settings.floor
    return Model(firsts / firsts.sum(), counts / counts.sum(axis=1, keepdims=True), means, variances)


def new_means(states, values, centres, strength):
    seen = ~np.isnan(values)
    return (states.T @ np.nan_to_num(values) + strength * centres) / (states.T @ seen + strength)
