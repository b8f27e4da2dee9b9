"""From calibration points to the quantile."""

import math

HALF_LIFE = 40


def score(residual, scale):
    """The score of a calibration point.

    residual: its target minus its centre.
    scale: its local_scale.
    """
    return (residual / scale) ** 2


def recency(count):
    """The weights of the calibration points, oldest first."""
    return [0.5 ** ((count - 1 - number) / HALF_LIFE) for number in range(count)]


def quantile(scores, weights, share):
    """The weighted quantile of the scores.

    share: how much of the weight must be at or below the quantile.
    """
    needed = share * (len(scores) + 1) / len(scores) * sum(weights)
    order = sorted(range(len(scores)), key=lambda number: scores[number])
    mass = 0.0
    for number in order:
        mass += weights[number]
        if mass >= needed - 1e-12:
            return scores[number]
    return scores[order[-1]]
