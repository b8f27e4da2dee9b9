"""From calibration points to the cut."""

import math


def score(residual, scale):
    """The score of a calibration point.

    residual: its target minus its centre.
    scale: its local_scale.
    """
    return abs(residual) / (scale + 0.1)


def ages(count):
    """The weights of the calibration points, oldest first."""
    return [0.985 ** (count - 1 - number) for number in range(count)]


def cut(scores, weights, share):
    """The weighted quantile of the scores.

    share: how much of the weight must be at or below the cut.
    """
    needed = share * (sum(weights) + 1.0)
    below = 0.0
    pairs = sorted(zip(scores, weights))
    for value, mass in pairs:
        if below >= needed:
            return value
        below += mass
    return pairs[-1][0]
