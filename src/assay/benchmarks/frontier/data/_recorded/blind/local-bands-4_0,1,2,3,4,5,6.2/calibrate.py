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
    return [0.5 ** ((count - 1 - n) / 40) for n in range(count)]


def quantile(scores, weights, share):
    """The weighted quantile of the scores.

    share: how much of the weight must be at or below the quantile.
    """
    goal = share * sum(weights) * (len(scores) + 1) / len(scores)
    total = 0.0
    pairs = sorted(zip(scores, weights))
    for value, weight in pairs:
        total += weight
        if total >= goal:
            return value
    return pairs[-1][0]
