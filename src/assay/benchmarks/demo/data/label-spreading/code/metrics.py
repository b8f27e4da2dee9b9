"""Plain measures of class probabilities."""

import numpy as np


def accuracy(probabilities, labels):
    """Share of samples whose most probable class is theirs."""
    return float((probabilities.argmax(axis=1) == labels).mean())


def log_loss(probabilities, labels):
    """Mean negative log-probability of the true class."""
    chosen = probabilities[np.arange(len(labels)), labels]
    return float(-np.log(np.maximum(chosen, 1e-12)).mean())
