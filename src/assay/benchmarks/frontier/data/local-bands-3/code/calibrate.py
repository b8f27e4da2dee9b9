"""From calibration points to the threshold."""

import math


def score(residual, scale):
    """The score of a calibration point.

    residual: its target minus its centre.
    scale: its local_scale.
    """
    return abs(residual) / (scale + 0.1)


def freshness(count):
    """The weights of the calibration points, oldest first."""
    return [0.985 ** (count - 1 - number) for number in range(count)]


def threshold(scores, weights, share):
    """The weighted quantile of the scores.

    share: how much of the weight must be at or below the threshold.
    """
    total = sum(weights)
    running = 0.0
    for value, weight in sorted(zip(scores, weights)):
        running += weight
        if running >= share * total:
            return value
    return max(scores)
