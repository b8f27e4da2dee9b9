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
    return [0.5 ** ((count - 1 - number) / 40) for number in range(count)]


def quantile(scores, weights, share):
    """The weighted quantile of the scores.

    share: how much of the weight must be at or below the quantile.
    """
    count = len(scores)
    goal = min(1.0, share * (count + 1) / count) * sum(weights)
    order = sorted(range(count), key=lambda number: scores[number])
    mass = 0.0
    for number in order:
        mass += weights[number]
        if mass >= goal - 1e-12:
            return scores[number]
    return scores[order[-1]]
