"""Where fitting starts."""

from __future__ import annotations

import numpy as np
from model import Model
from series import Panel


def base_means(panel: Panel, size: int) -> np.ndarray:
    """The means of the parts of all complete training rows, divided by the first dimension."""
    pooled = np.vstack([series.values for series in panel.training])
    complete = pooled[~np.isnan(pooled).any(axis=1)]
    ordered = complete[np.argsort(complete[:, 0], kind="stable")]
    return np.array([part.mean(axis=0) for part in np.array_split(ordered, size)])


def base_variances(panel: Panel) -> np.ndarray:
    """The variance of each dimension over all training rows."""
    pooled = np.vstack([series.values for series in panel.training])
    return np.nanvar(pooled, axis=0)


def chain(size: int, stay: float) -> tuple[np.ndarray, np.ndarray]:
    """Initial states and transitions."""
    others = (1.0 - stay) / (size - 1)
    transition = np.full((size, size), others)
    np.fill_diagonal(transition, stay)
    return np.full(size, 1.0 / size), transition


def starts(panel: Panel, size: int) -> list[Model]:
    """All models from which fitting starts."""
    settings = panel.settings
    base = base_means(panel, size)
    variances = np.tile(base_variances(panel), (size, 1))
    initial, transition = chain(size, settings.stay)
    models = [Model(initial, transition, base, variances)]
    for number in range(1, settings.starts):
        source = np.random.default_rng([settings.seed, size, number])
        means = base + settings.jitter * source.standard_normal(base.shape)
        models.append(Model(initial, transition, means, variances))
    return models
