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
    goal = share * (1.0 + 1.0 / len(scores)) * sum(weights)
    reached = 0.0
    for value, part in sorted(zip(scores, weights)):
        reached += part
        if reached >= goal:
            return value
    return max(scores)
