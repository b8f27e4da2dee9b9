"""Parameters of the hidden chain and its transitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Model:
    """A chain of hidden states with normal observations."""

    initial: np.ndarray
    transition: np.ndarray
    means: np.ndarray
    variances: np.ndarray

    @property
    def size(self) -> int:
        """How many states there are."""
        return len(self.initial)

    def reordered(self) -> Model:
        """The same model with states in ascending order of their first mean."""
        order = np.argsort(self.means[:, 0], kind="stable")
        return Model(
            self.initial[order],
            self.transition[np.ix_(order, order)],
            self.means[order],
            self.variances[order],
        )

    def free_parameters(self) -> int:
        """How many numbers can be chosen."""
        return self.size - 1 + self.size * (self.size - 1) + 2 * self.means.size


_powers: dict[tuple[bytes, int], np.ndarray] = {}


def power(transition: np.ndarray, steps: int) -> np.ndarray:
    """The transitions over several steps of time."""
    if steps == 1:
        return transition
    key = (transition.tobytes(), int(steps))
    if key not in _powers:
        if len(_powers) > 5000:
            _powers.clear()
        _powers[key] = np.linalg.matrix_power(transition, int(steps))
    return _powers[key]


def log_densities(model: Model, values: np.ndarray) -> np.ndarray:
    """The log density of each row under each state; a missing value contributes nothing."""
    difference = values[:, None, :] - model.means[None]
    terms = -0.5 * (np.log(2.0 * np.pi * model.variances)[None] + difference**2 / model.variances[None])
    return np.where(np.isnan(terms), 0.0, terms).sum(axis=2)
