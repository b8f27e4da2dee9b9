"""From covariates to the columns of the models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def middle(values: np.ndarray) -> float:
    """The middle of the observed values."""
    observed = np.sort(values[~np.isnan(values)])
    return float(observed[len(observed) // 2])


def fill(values: np.ndarray, substitutes: np.ndarray) -> np.ndarray:
    """Put a substitute where a covariate is missing."""
    filled = np.asarray(values)
    for column, substitute in enumerate(substitutes):
        filled[np.isnan(filled[:, column]), column] = substitute
    return filled


def moments(values: np.ndarray, varies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each column."""
    mean = np.nanmean(values, axis=0)
    deviation = np.nanstd(values, axis=0, ddof=1)
    return mean, np.where(varies, deviation, 1.0)


@dataclass(frozen=True)
class Preparation:
    """What has been learned from some rows, ready for all rows."""

    substitutes: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray
    gaps: np.ndarray
    squares: int
    limit: float

    def columns(self, covariates: np.ndarray) -> np.ndarray:
        """The columns of the models for these rows, a column of ones first."""
        missing = np.isnan(covariates)
        filled = fill(covariates, self.substitutes)
        scaled = np.clip((filled - self.mean) / self.deviation, -self.limit, self.limit)
        ones = np.ones((len(covariates), 1))
        squared = scaled[:, : self.squares] ** 2
        return np.hstack([ones, scaled, squared, missing[:, self.gaps].astype(float)])


def prepare(covariates: np.ndarray, gaps: np.ndarray, squares: int, limit: float) -> Preparation:
    """Learn substitutes and scales from these rows."""
    substitutes = np.array([middle(column) for column in covariates.T])
    whole = fill(covariates, substitutes)
    varies = whole.max(axis=0) > whole.min(axis=0)
    mean, deviation = moments(covariates, varies)
    return Preparation(substitutes, mean, deviation, gaps, squares, limit)
