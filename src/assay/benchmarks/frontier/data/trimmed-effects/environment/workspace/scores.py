"""Estimates and the influence of each kept row on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Sample:
    """Kept rows with their predictions."""

    cluster: np.ndarray
    weight: np.ndarray
    treated: np.ndarray
    outcome: np.ndarray
    propensity: np.ndarray
    without: np.ndarray
    with_treatment: np.ndarray
    normalise: bool

    def inverse_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Inverse probability weights of the treated and of the others."""
        treated = self.treated / self.propensity
        others = (1 - self.treated) / (1.0 - self.propensity)
        if self.normalise:
            treated = treated / np.average(treated, weights=self.weight)
            others = others / np.average(others, weights=self.weight)
        return treated, others


@dataclass(frozen=True)
class Estimate:
    """An estimate with the influence of each row; influences have weighted mean zero."""

    value: float
    influence: np.ndarray


def doubly_robust_parts(sample: Sample) -> np.ndarray:
    """The contribution of each row to the average effect."""
    treated, others = sample.inverse_weights()
    return (
        sample.with_treatment
        - sample.without
        + treated * (sample.outcome - sample.with_treatment)
        - others * (sample.outcome - sample.without)
    )


def average_effect(sample: Sample) -> Estimate:
    """The average effect over the kept rows."""
    parts = doubly_robust_parts(sample)
    value = float(np.average(parts, weights=sample.weight))
    return Estimate(value, parts - value)


def effect_on_treated(sample: Sample) -> Estimate:
    """The average effect over the treated kept rows."""
    odds = (1 - sample.treated) * sample.propensity / (1.0 - sample.propensity)
    share = float(np.average(sample.treated, weights=sample.weight))
    if sample.normalise:
        odds = odds * share / np.average(odds, weights=sample.weight)
    parts = (sample.treated - odds) * (sample.outcome - sample.without)
    value = float(np.average(parts, weights=sample.weight)) / share
    return Estimate(value, (parts - sample.treated * value) / share)


def weighting_effect(sample: Sample) -> Estimate:
    """The difference of the two weighted means."""
    treated, others = sample.inverse_weights()
    high = float(np.average(sample.outcome, weights=sample.weight * treated))
    low = float(np.average(sample.outcome, weights=sample.weight * others))
    first = treated * (sample.outcome - high) / np.average(treated, weights=sample.weight)
    second = others * (sample.outcome - low) / np.average(others, weights=sample.weight)
    return Estimate(high - low, first - second)


ESTIMATORS = {"average": average_effect, "treated": effect_on_treated, "weighting": weighting_effect}
