"""A Gaussian process over the rows, averaged over many drawn settings, with a prior that learned from the examples."""

import numpy as np
from prior import FAILURE_WEIGHTS, LOSS_WEIGHTS, column_features

SETTINGS, SHORT = 16, 10
IRRELEVANT, LENGTH, LENGTH_SPREAD, OTHER_CATEGORY = 0.35, -0.6, 0.6, -0.3
NOISE, LEVEL, FAILED_NOISE = -3.2, 0.3, 0.2
REPEAT, COST_POWER, COST_START = 0.3, 0.5, 0.15
UNSEEN, FAILURE = 0.1, 2.0


def squash(losses):
    """Losses in units of their median above the lowest one; large ones count by their logarithm."""
    low = losses.min()
    units = (losses - low) / (np.median(losses) - low + 1e-12)
    return np.where(units > 1, 1 + np.log(np.maximum(units, 1)), units)


class Kernels:
    """Similarities of rows in drawn settings: each weighs the columns in another way."""

    def __init__(self, problem, places, source):
        self.places, size = places, len(places)
        self.is_category = np.array([kind == "category" for kind in problem["kinds"]])
        shape = SETTINGS, size
        lengths = np.exp(source.normal(LENGTH, LENGTH_SPREAD, shape))
        steep = np.where(self.is_category, np.exp(source.normal(OTHER_CATEGORY, 0.8, shape)), 0.5 / lengths**2)
        idle = source.random(shape) < IRRELEVANT
        self.steep = np.where(idle, 0.02 * steep, steep)
        parts = np.where(idle, 0.05, 1.0) * np.exp(source.normal(0, 0.5, shape))
        self.sum_share = source.random((SETTINGS, 1))
        self.parts = self.sum_share * parts / parts.sum(1, keepdims=True)
        self.noise = np.exp(source.normal(NOISE, 1.0, SETTINGS))

    def with_row(self, row):
        """The similarity of all rows to one, in each setting."""
        away = self.places - self.places[:, row, None]
        away = np.where(self.is_category[:, None], away != 0, away**2)
        alone = np.exp(-self.steep[:, :, None] * away)
        return (self.parts[:, :, None] * alone).sum(1) + (1 - self.sum_share) * alone.prod(1)


class Search:
    """Minimises one table."""

    def __init__(self, problem):
        places, features = column_features(problem)
        self.size, self.costs = len(problem["rows"]), np.array(problem["costs"])
        self.kernels = Kernels(problem, places, np.random.default_rng(0))
        self.prior = (features - features.mean(0)) @ LOSS_WEIGHTS
        self.failure_prior = np.clip(FAILURE_WEIGHTS[0] + features @ FAILURE_WEIGHTS[1:], 0.01, 0.9)
        self.rows, self.losses, self.similar = [], [], np.zeros((SETTINGS, 0, self.size))
        self.fit()

    def tell(self, row, loss):
        """Learns the loss of a row; None if its run failed."""
        self.rows.append(row)
        self.losses.append(np.nan if loss is None else loss)
        self.similar = np.concatenate([self.similar, self.kernels.with_row(row)[:, None]], 1)
        self.fit()

    def fit(self):
        """Finds the means and variances of all rows in each setting, and the weights of the settings."""
        losses = np.array(self.losses)
        failed = np.isnan(losses)
        self.weights = np.full(SETTINGS, 1 / SETTINGS)
        if (~failed).sum() < 2:
            nearest = self.similar.max(1, initial=0.0)
            self.means = np.tile(self.prior, (SETTINGS, 1))
            self.variances = np.maximum(1 - nearest**2, 1e-6)
        else:
            self.fit_losses(losses, failed)
        self.mean = self.weights @ self.means
        self.find_failures(failed)

    def fit_losses(self, losses, failed):
        """The Gaussian processes; a failed run counts as the largest loss with much noise."""
        values = squash(np.where(failed, np.nanmax(losses), losses))
        values = values / (values.std() + 1e-9) - self.prior[self.rows]
        values -= values[~failed].mean()
        similar = self.similar + LEVEL
        noise = self.kernels.noise[:, None] + 1e-6 + FAILED_NOISE * failed
        lower = np.linalg.cholesky(similar[:, :, self.rows] + noise[:, :, None] * np.eye(len(values)))
        inverse = np.linalg.inv(lower)
        projected, white = inverse @ similar, inverse @ values
        squares, count = (white**2).sum(1) + 3, len(values) + 3
        self.means = self.prior + (white[:, :, None] * projected).sum(1)
        self.variances = np.maximum(1 + LEVEL - (projected**2).sum(1), 1e-6) * (squares / count)[:, None]
        fits = -0.5 * count * np.log(squares) - np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(1)
        weights = np.exp(fits - fits.max())
        self.weights = weights / weights.sum()

    def find_failures(self, failed):
        """The chance that each row fails."""
        near = 2 * np.einsum("s,skn->kn", self.weights, self.similar) ** 4
        self.failure = (self.failure_prior + failed @ near) / (1 + near.sum(0))
        self.failure[[row for row, is_failed in zip(self.rows, failed) if is_failed]] = 1.0

    def shortlist(self):
        """Ten rows that seem to be best, the best one first."""
        spread = np.sqrt(self.weights @ (self.variances + (self.means - self.mean) ** 2))
        doubt = UNSEEN * spread + FAILURE * self.failure
        doubt[[row for row, loss in zip(self.rows, self.losses) if not np.isnan(loss)]] = 0.0
        return np.argsort(self.mean + doubt + 100 * (self.failure == 1))[:SHORT].tolist()

    def choose(self):
        """The row to evaluate next: the largest expected improvement for its cost."""
        best = self.shortlist()[0]
        spread = np.sqrt(self.variances)
        units = (self.means[:, [best]] - self.means) / spread
        density = np.exp(-0.5 * units**2) / np.sqrt(2 * np.pi)
        below = 0.5 * (1 + np.tanh(0.8 * units * (1 + 0.045 * units**2)))
        gain = self.weights @ (spread * (density + units * below))
        gain *= (1 - self.failure) / (self.costs + COST_START) ** COST_POWER
        gain[self.rows] *= REPEAT
        return int(np.argmax(gain))
