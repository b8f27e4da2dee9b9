"""The columns of a table, its kind, and Gaussian processes whose forms come from the examples."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from prior import EXAMPLES, Column, Example

FEW_STEPS = 20
DECIDES_COST, ACTS_ON_COST, NO_COST = 0.85, 0.15, 0.4
"""Correlations of a column with the logarithm of the cost."""
FEW_COLUMNS = 5
COUNT, WILD = 144, 0.1
"""Processes, and the share of those whose columns come from several examples."""
VARIANCE_SPREAD, NOISE_SPREAD, ROUGHNESS_SPREAD = 0.3, 0.35, 0.4
LEVEL, LINEAR, QUADRATIC, QUADRATIC_SHARE, CHOICE = 4.0, 0.06, 0.05, 0.3, 0.002
LEAST_NOISE, FAILURE_NOISE, FAILURE_VARIANCE, FAILURE_SHARE, FAILURE_LINEAR = 0.001, 0.03, 0.03, 0.5, 0.02


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


class Pools:
    """Columns of the examples by their keys."""

    def __init__(self, examples: list[Example]) -> None:
        self.near: dict[str, list[Column]] = {}
        self.all: dict[str, list[Column]] = {}
        for column in (column for example in examples for column in example.columns):
            self.near.setdefault(column.key, []).append(column)
            if base(column.key) != column.key:
                self.near.setdefault(base(column.key) + "*", []).append(column)
        for column in (column for example in EXAMPLES for column in example.columns):
            self.all.setdefault(base(column.key), []).append(column)

    def find(self, key: str) -> list[Column]:
        """The columns that are most like those with a key."""
        return self.near.get(key) or self.near.get(base(key) + "*") or self.all[base(key)]

    def slope(self, key: str) -> float:
        """The mean linear effect of columns with a key, a little smaller."""
        slopes = [column.linear for column in self.near.get(key, [])]
        return float(np.mean(slopes)) * len(slopes) / (len(slopes) + 1) if slopes else 0.0


class Forms:
    """What each process supposes of the table."""

    def __init__(self, columns: Columns) -> None:
        kinds, keys = kinds_of(columns), columns.keys
        examples = [example for example in EXAMPLES if example.kind in kinds]
        pools, source = Pools(examples), np.random.default_rng(5)
        self.slopes = np.array([0.0 if key == "cat" else pools.slope(key) for key in keys])
        self.variance, self.noise, self.failures = np.zeros((3, COUNT))
        numbers = np.zeros((COUNT, len(keys), 6))
        for place in range(COUNT):
            wild = place >= COUNT * (1 - WILD)
            example = examples[source.integers(len(examples)) if wild else place % len(examples)]
            self.variance[place] = example.variance * np.exp(source.normal(0, VARIANCE_SPREAD))
            self.noise[place] = example.noise * np.exp(source.normal(0, NOISE_SPREAD))
            self.failures[place] = example.failures
            numbers[place] = draw_columns(example, keys, pools, wild, source)
        numeric = np.array([key != "cat" for key in keys])
        self.quadratic, self.roughness = numeric * numbers[:, :, 1], numbers[:, :, 2]
        self.failure_linear, self.failure_quadratic = numbers[:, :, 4], numbers[:, :, 5]
        self.slope_variance = numeric * ((numbers[:, :, 0] - self.slopes) ** 2 + LINEAR**2)
        self.quadratic_variance = numeric * ((QUADRATIC_SHARE * self.quadratic) ** 2 + QUADRATIC**2)
        self.choice_variance = ~numeric * (numbers[:, :, 3] + CHOICE)


def draw_columns(
    example: Example, keys: list[str], pools: Pools, wild: bool, source: np.random.Generator
) -> np.ndarray:
    """Numbers for each column of a table: from the columns of one example, where it has such a column."""
    own: dict[str, list[Column]] = {}
    for column in example.columns:
        own.setdefault(column.key, []).append(column)
    for same_key in own.values():
        source.shuffle(same_key)
    numbers = np.zeros((len(keys), 6))
    for place in source.permutation(len(keys)):
        if own.get(keys[place]) and not wild:
            column = own[keys[place]].pop()
        else:
            found = pools.find(keys[place])
            column = found[source.integers(len(found))]
        numbers[place] = column[1:]
        numbers[place, 2] *= np.exp(source.normal(0, ROUGHNESS_SPREAD))
    return numbers


class Model:
    """The processes for losses and for failures of one table, before anything is observed."""

    def __init__(self, columns: Columns) -> None:
        self.forms = forms = Forms(columns)
        self.is_category = np.array([key == "cat" for key in columns.keys])
        self.places = columns.places
        self.linear = linear = np.where(self.is_category, 0, columns.places)
        self.square = square = np.where(self.is_category, 0, columns.places**2 - 1 / 3)
        self.failure_variance = (FAILURE_VARIANCE + FAILURE_SHARE * forms.failures)[:, None]
        self.mean = forms.slopes @ linear.T + forms.quadratic @ square.T
        trend = forms.failure_linear @ linear.T + forms.failure_quadratic @ square.T
        self.failure_mean = np.clip(forms.failures[:, None] + trend, 0, 1)

    def losses(self) -> Processes:
        """The processes for losses."""
        forms = self.forms
        variances = LEVEL + (forms.variance + forms.choice_variance.sum(1))[:, None]
        variances = variances + forms.slope_variance @ (self.linear**2).T
        variances = variances + forms.quadratic_variance @ (self.square**2).T
        return Processes(self.with_loss, variances, forms.noise**2 + LEAST_NOISE)

    def failures(self) -> Processes:
        """The processes for failures."""
        variances = self.failure_variance + FAILURE_LINEAR * (self.linear**2).sum(1)
        return Processes(self.with_failure, variances, FAILURE_NOISE)

    def similarity(self, row: int) -> np.ndarray:
        """Of all rows to one, in each process: a rational quadratic of their distance."""
        away = self.places - self.places[row]
        away = np.where(self.is_category, away != 0, away**2)
        return (1 + 0.25 * (self.forms.roughness @ away.T)) ** -2

    def with_loss(self, row: int) -> np.ndarray:
        """The covariance of the losses of all rows with that of one."""
        forms, same = self.forms, self.is_category & (self.places == self.places[row])
        covariance = LEVEL + forms.variance[:, None] * self.similarity(row)
        covariance = covariance + forms.choice_variance @ same.T
        covariance = covariance + (forms.slope_variance * self.linear[row]) @ self.linear.T
        return covariance + (forms.quadratic_variance * self.square[row]) @ self.square.T

    def with_failure(self, row: int) -> np.ndarray:
        """The covariance of the failures of all rows with that of one."""
        trend = FAILURE_LINEAR * (self.linear[row] @ self.linear.T)
        return self.failure_variance * self.similarity(row) + trend
