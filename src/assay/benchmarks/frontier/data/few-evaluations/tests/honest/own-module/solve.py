"""The solution, whose model is in a module of its own."""

import math

import numpy as np
from parts import COUNT, LEVEL, Model, columns_of, kinds_of

SHORT = 10
FAILING_KINDS = "a", "c", "e", "f"
CLIP, USUAL_SPREAD, TEMPER = 1.3, 0.38, 0.7
ABOVE_MIDDLE, RANK, COST_POWER = 0.3, 7, 0.8


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
