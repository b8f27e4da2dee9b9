"""How many states a study has."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from fitting import Fit, fit, total_likelihood
from series import Panel, Series


@dataclass(frozen=True)
class Candidate:
    """A fit with its criteria."""

    fit: Fit
    likelihoods: list[float]
    information: float
    held_score: float

    @property
    def variation(self) -> float:
        """The standard deviation of the log likelihoods of all starts."""
        return float(np.std(self.likelihoods, ddof=1)) if len(self.likelihoods) > 1 else 0.0


def informative_rows(many: list[Series]) -> int:
    """How many rows have a value."""
    return int(sum(series.observed.all(axis=1).sum() for series in many))


def observed_values(many: list[Series]) -> int:
    """How many values there are."""
    return int(sum(series.observed.sum() for series in many))


def candidate(panel: Panel, size: int) -> Candidate:
    """Fit one number of states."""
    found, likelihoods = fit(panel, size)
    rows = informative_rows(panel.training)
    information = -2.0 * found.likelihood + found.model.free_parameters() * math.log(rows)
    held = total_likelihood(found.model, panel.held) / observed_values(panel.held)
    return Candidate(found, likelihoods, information, held)


def choose(panel: Panel) -> tuple[Candidate, dict[int, Candidate]]:
    """The candidate that the criterion prefers, and all of them."""
    candidates = {size: candidate(panel, size) for size in panel.settings.states}
    if panel.settings.criterion == "held":
        best = max(candidates, key=lambda size: (candidates[size].held_score, -size))
    else:
        best = min(candidates, key=lambda size: (candidates[size].information, size))
    return candidates[best], candidates
