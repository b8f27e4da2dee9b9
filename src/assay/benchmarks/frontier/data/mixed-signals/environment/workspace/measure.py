"""The score: how much cleaner the separated signals are than those of the best known program, in decibels."""

from itertools import permutations

import numpy as np

CLEANEST = 40.0


def cleanness(found, signals):
    """The mean over the signals, for the best way to pair them: ten times the decimal logarithm of signal over rest."""
    found = found - found.mean(axis=1, keepdims=True)
    found = found / np.maximum(found.std(axis=1, keepdims=True), 1e-12)
    signals = (signals - signals.mean(axis=1, keepdims=True)) / signals.std(axis=1, keepdims=True)
    shares = np.minimum((signals @ found.T / signals.shape[1]) ** 2, 1.0)
    decibels = np.minimum(10 * np.log10(shares / np.maximum(1 - shares, 1e-9) + 1e-9), CLEANEST).clip(0.0)
    orders = np.array(list(permutations(range(len(signals)))))
    return float(decibels[np.arange(len(signals)), orders].mean(axis=1).max())


def scores(answers, truth):
    """One for each mixture: how clean your signals are, minus how clean those of the best known program are."""
    signals = np.array(truth["signals"])
    found = np.array(answers["signals"], dtype=float)
    if found.shape != signals.shape or not np.isfinite(found).all():
        raise ValueError(f"expected {' x '.join(map(str, signals.shape))} finite numbers")
    found = np.clip(found, -1e6, 1e6)
    return [cleanness(one, other) - known for one, other, known in zip(found, signals, truth["known"], strict=True)]
