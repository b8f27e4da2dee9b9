"""Folds made of whole clusters."""

from __future__ import annotations

import numpy as np
from tables import Table

OUTER, INNER = 3, 5


def spread(cluster: np.ndarray, order: np.ndarray, count: int) -> np.ndarray:
    """The fold of each row, for clusters that are taken in this order."""
    sizes = np.array([np.sum(cluster == label) for label in order])
    filled = np.zeros(count, dtype=int)
    folds = np.empty(len(cluster), dtype=int)
    for place in np.argsort(-sizes, kind="stable"):
        fold = int(np.argmin(filled))
        folds[cluster == order[place]] = fold
        filled[fold] += sizes[place]
    return folds


def outer_folds(table: Table, repeat: int) -> np.ndarray:
    """The fold of each row in one repeat."""
    source = np.random.default_rng([table.settings.seed, OUTER, repeat])
    return spread(table.cluster, source.permutation(table.labels), table.settings.folds)


def inner_folds(table: Table, rows: np.ndarray, repeat: int, fold: int) -> np.ndarray:
    """The inner fold of each of these rows."""
    cluster = table.cluster[rows]
    source = np.random.default_rng([table.settings.seed, INNER, repeat, fold])
    return spread(cluster, source.permutation(np.unique(cluster)), table.settings.inner)
