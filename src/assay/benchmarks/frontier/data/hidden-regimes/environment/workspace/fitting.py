"""Fitting from several starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from model import Model
from recursions import forward
from series import Panel, Series
from start import base_means, starts
from update import improved


@dataclass(frozen=True)
class Fit:
    """A fitted model with its log likelihood and the number of steps that were made."""

    model: Model
    likelihood: float
    steps: int


def total_likelihood(model: Model, many: list[Series], temper: float = 1.0) -> float:
    """The log likelihood of several series."""
    return sum(forward(model, series, temper).likelihood for series in many)


def temperature(step: int, first: float, growth: float) -> float:
    """The power of the densities in one step."""
    return min(1.0, first + (step - 1) * growth)


def fit_from(model: Model, panel: Panel, centres: np.ndarray) -> Fit:
    """Fit until the likelihood stops growing, or as long as it is allowed."""
    settings = panel.settings
    likelihood = total_likelihood(model, panel.training)
    for step in range(1, settings.iterations + 1):
        temper = temperature(step, settings.temper, settings.step)
        model = improved(model, panel.training, settings, centres, temper)
        previous, likelihood = likelihood, total_likelihood(model, panel.training, temper)
        if temper == 1.0 and likelihood - previous < settings.tolerance * abs(previous):
            return Fit(model, likelihood, step)
    return Fit(model, likelihood, settings.iterations)


def fit(panel: Panel, size: int) -> tuple[Fit, list[float]]:
    """The best of all fits, and the log likelihoods of all of them."""
    centres = base_means(panel, size)
    fits = [fit_from(model, panel, centres) for model in starts(panel, size)]
    likelihoods = [found.likelihood for found in fits]
    best = fits[int(np.argmax(likelihoods))]
    return Fit(best.model.reordered(), best.likelihood, best.steps), likelihoods
