"""The columns of a table, its kind, and Gaussian processes that get one observation after the other."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

FEW_STEPS = 20
DECIDES_COST, ACTS_ON_COST, NO_COST = 0.85, 0.15, 0.4
"""Correlations of a column with the logarithm of the cost."""
FEW_COLUMNS = 5


class Columns(NamedTuple):
    """The columns of a table."""

    places: np.ndarray
    """Of each row in each column, from -1 to 1; the number of a category."""
    keys: list[str]
    on_cost: np.ndarray
    """The correlation of each column with the cost."""


def columns_of(problem: dict) -> Columns:
    """Places, keys and correlations with the cost."""
    log_costs = np.log(np.array(problem["costs"], float))
    places, keys, on_cost = [], [], []
    for kind, values in zip(problem["kinds"], zip(*problem["rows"])):
        place, key, correlation = np.array(values, float), "cat", 0.0
        if kind != "category":
            few = kind == "log" and len(np.unique(place)) < FEW_STEPS
            place = np.log(place) if kind == "log" else place
            place = (place - place.min()) / max(np.ptp(place), 1e-12) * 2 - 1
            correlation = np.corrcoef(place, log_costs)[0, 1]
            mark = "C" if correlation > DECIDES_COST else "c" if correlation > ACTS_ON_COST else ""
            key = ("doubling" if few else kind) + mark
        places.append(place)
        keys.append(key)
        on_cost.append(correlation)
    return Columns(np.array(places).T, keys, np.array(on_cost))


def base(key: str) -> str:
    """The type of a column without the mark of its cost."""
    return key.rstrip("Cc")


def kinds_of(columns: Columns) -> str:
    """The letters of the kinds that a table may be of: nearly always one."""
    categories = columns.keys.count("cat")
    if categories >= 2:
        return "d"
    if any(key.startswith("doubling") for key in columns.keys):
        return "a" if categories else "b"
    if columns.on_cost.max() < NO_COST:
        return "e"
    costly = base(columns.keys[int(np.argmax(columns.on_cost))])
    if costly == "whole":
        return "f"
    if costly == "real" or not categories:
        return "g"
    return "c" if len(columns.keys) <= FEW_COLUMNS else "cg"


class Processes:
    """Gaussian processes over the same rows, each with its own covariance and noise."""

    def __init__(
        self, covariance: Callable[[int], np.ndarray], variances: np.ndarray, noise: np.ndarray | float
    ) -> None:
        count, size = variances.shape
        self.covariance, self.variances, self.noise, self.rows = covariance, variances, noise, []
        self.projected = np.zeros((count, 0, size), np.float32)
        self.inverse = np.zeros((count, 0, 0), np.float32)
        self.log_determinant = np.zeros(count)

    def observe(self, row: int) -> None:
        """Adds a row to those observed: one more row of the inverse Cholesky factor."""
        seen, rest = len(self.rows), self.covariance(row)
        before = self.projected[:, None, :, row]
        if seen:
            rest = rest - np.matmul(before, self.projected)[:, 0]
        root = np.sqrt(np.maximum(rest[:, row] + self.noise, 1e-6))
        new = (rest / root[:, None]).astype(np.float32)
        inverse = np.zeros((len(root), seen + 1, seen + 1), np.float32)
        inverse[:, :seen, :seen] = self.inverse
        if seen:
            inverse[:, seen, :seen] = -np.matmul(before, self.inverse)[:, 0] / root[:, None]
        inverse[:, seen, seen] = 1 / root
        self.inverse, self.projected = inverse, np.concatenate([self.projected, new[:, None]], 1)
        self.log_determinant = self.log_determinant + np.log(root)
        self.variances = self.variances - new.astype(float) ** 2
        self.rows.append(row)

    def whiten(self, values: np.ndarray) -> np.ndarray:
        """Values of the observed rows as independent ones of variance 1, in each process."""
        return np.matmul(self.inverse, values[..., None])[..., 0]

    def spread(self, white: np.ndarray) -> np.ndarray:
        """What whitened values add to the mean of every row."""
        return np.matmul(white[:, None].astype(np.float32), self.projected)[:, 0]
