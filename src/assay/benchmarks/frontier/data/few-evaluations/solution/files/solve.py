"""Many Gaussian processes with forms from the examples, weighted by how well they explain the losses."""

import math

import numpy as np
from parts import Columns, Processes, base, columns_of, kinds_of
from prior import EXAMPLES, Column, Example

COUNT, WILD, SHORT = 144, 0.1, 10
"""Processes, the share of those whose columns come from several examples, and rows of a shortlist."""
VARIANCE_SPREAD, NOISE_SPREAD, ROUGHNESS_SPREAD = 0.3, 0.35, 0.4
LEVEL, LINEAR, QUADRATIC, QUADRATIC_SHARE, CHOICE = 4.0, 0.06, 0.05, 0.3, 0.002
LEAST_NOISE, FAILURE_NOISE, FAILURE_VARIANCE, FAILURE_SHARE, FAILURE_LINEAR = 0.001, 0.03, 0.03, 0.5, 0.02
FAILING_KINDS = "a", "c", "e", "f"
CLIP, USUAL_SPREAD, TEMPER = 1.3, 0.38, 0.7
ABOVE_MIDDLE, RANK, COST_POWER = 0.3, 7, 0.8


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


class Search:
    """Minimises one table."""

    def __init__(self, problem: dict) -> None:
        columns = columns_of(problem)
        self.costs, self.model = np.array(problem["costs"], float), Model(columns)
        self.losses, self.failures = self.model.losses(), self.model.failures()
        self.may_fail = kinds_of(columns) in FAILING_KINDS and self.model.forms.failures.max() > 0
        self.values: list[float] = []
        self.failed: list[int] = []
        self.fit()

    def tell(self, row: int, loss: float | None) -> None:
        """Learns the loss of a row; None if its run failed."""
        if loss is None:
            self.failed.append(row)
            self.may_fail = True
        else:
            self.losses.observe(row)
            self.values.append(loss)
        if self.may_fail:
            for told in [*self.losses.rows, *self.failed]:
                if told not in self.failures.rows:
                    self.failures.observe(told)
        self.fit()

    def fit(self) -> None:
        """Finds the expected loss of every row, its deviation and its chance to fail."""
        means, variances, loss_fit = self.fit_losses()
        chances, failure_fit = self.fit_failures()
        fits = TEMPER * (loss_fit + failure_fit)
        weights = np.exp(fits - fits.max())
        weights /= weights.sum()
        means = means - means.mean(1, keepdims=True)
        self.mean = weights @ means
        self.deviation = np.sqrt(np.maximum(weights @ (variances + means**2) - self.mean**2, 1e-9))
        self.chance = weights @ chances
        self.chance[self.failed], self.chance[self.losses.rows] = 1.0, 0.0
        middle = np.median(self.mean)
        capped = np.minimum(self.mean, middle + ABOVE_MIDDLE)
        self.value = (1 - self.chance) * capped + self.chance * middle
        self.value[self.failed] = middle + 9

    def fit_losses(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The means and variances of all rows in each process, and how well each explains the losses.

        The unit of the losses is unknown: each process takes the one that it finds most likely.
        """
        count, mean, fits = len(self.values), self.model.mean, np.zeros(COUNT)
        variances = np.maximum(self.losses.variances - (0 if count else LEVEL), 1e-6)
        if not count:
            return mean, variances, fits
        rest = -self.losses.whiten(mean[:, self.losses.rows])
        values = np.array(self.values)
        if count >= 4:
            middle = np.median(values)
            values = np.minimum(values, middle + CLIP * (middle - values.min()) + 1e-12)
        deviation = values.std()
        if count > 1 and deviation > 0:
            white, usual = self.losses.whiten(values - values.mean()), (deviation / USUAL_SPREAD) ** 2
            square, product = (white**2).sum(1) + 2 * usual, -(white * rest).sum(1)
            scale = (product + np.sqrt(product**2 + 4 * square * (count + 1))) / (2 * square)
            rest = scale[:, None] * white + rest
            fits = (count + 1) * np.log(scale * deviation) - scale**2 * usual
            fits -= 0.5 * (rest**2).sum(1) + self.losses.log_determinant
        return mean + self.losses.spread(rest), variances, fits

    def fit_failures(self) -> tuple[np.ndarray, np.ndarray]:
        """The chance of all rows to fail in each process, and how well each explains the failures."""
        if not self.may_fail:
            return np.zeros_like(self.model.mean), np.zeros(COUNT)
        chances, rows = self.model.failure_mean, self.failures.rows
        if not rows:
            return chances, np.zeros(COUNT)
        white = self.failures.whiten(np.isin(rows, self.failed) - chances[:, rows])
        fits = -0.5 * (white**2).sum(1) - self.failures.log_determinant
        return np.clip(chances + self.failures.spread(white), 0, 1), fits

    def choose(self) -> int:
        """The row to evaluate next: its loss may move it into or out of the best ones, for little cost."""
        bar = np.sort(self.value)[RANK - 1]
        units = np.abs(bar - self.mean) / self.deviation
        density = np.exp(-0.5 * units**2) / math.sqrt(2 * math.pi)
        beyond = 0.5 * np.array([math.erfc(unit / math.sqrt(2)) for unit in units])
        gain = self.deviation * (density - units * beyond) * (1 - self.chance) / self.costs**COST_POWER
        gain[[*self.losses.rows, *self.failed]] = -1.0
        return int(np.argmax(gain))

    def shortlist(self) -> list[int]:
        """Ten rows that seem to be best, the best one first."""
        return np.argsort(self.value, kind="stable")[:SHORT].tolist()
