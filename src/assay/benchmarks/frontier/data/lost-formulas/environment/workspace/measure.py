"""The score: how much of each formula's variation is foretold."""

import numpy as np


def scores(answers, truth):
    """One for each formula: one minus the root mean squared error over the spread of the values, at least zero."""
    values = np.array(truth["values"])
    found = np.array(answers["values"], dtype=float)
    if found.shape != values.shape or not np.isfinite(found).all():
        raise ValueError(f"expected {values.shape[0]} rows of {values.shape[1]} finite numbers")
    error = np.sqrt(((np.clip(found, -1e6, 1e6) - values) ** 2).mean(axis=1))
    return np.maximum(0.0, 1.0 - error / values.std(axis=1)).tolist()
