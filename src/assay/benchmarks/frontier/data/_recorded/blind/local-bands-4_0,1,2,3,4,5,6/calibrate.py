"""From calibration points to the quantile."""

import math


def score(residual, scale):
    """The score of a calibration point.

    residual: its target minus its centre.
    scale: its local_scale.
    """
    return (residual / scale) ** 2


def recency(count):
    """The weights of the calibration points, oldest first."""
    return [0.99 ** (count - 1 - number) for number in range(count)]


def quantile(scores, weights, share):
    """The weighted quantile of the scores.

    share: how much of the weight must be at or below the quantile.
    """
    total = sum(weights) + 1.0
    reached = 0.0
    ordered = sorted(zip(scores, weights))
    for value, mass in ordered:
        reached += mass
        if reached >= share * total - 1e-12:
            return value
    return ordered[-1][0]
