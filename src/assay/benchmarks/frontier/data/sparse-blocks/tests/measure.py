"""The score: the share of each signal's energy that is recovered."""

import numpy as np


def scores(answers, truth):
    """One score for each signal: one minus the squared error over the signal's energy, at least zero."""
    signals = np.array(truth["signals"])
    found = np.array(answers["signals"], dtype=float)
    if found.shape != signals.shape or not np.isfinite(found).all():
        raise ValueError(f"expected {signals.shape[0]} signals of {signals.shape[1]} finite numbers")
    error = ((np.clip(found, -1e3, 1e3) - signals) ** 2).sum(axis=1)
    return np.maximum(0.0, 1.0 - error / (signals**2).sum(axis=1)).tolist()
