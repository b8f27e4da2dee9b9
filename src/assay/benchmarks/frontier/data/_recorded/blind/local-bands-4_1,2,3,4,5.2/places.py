"""How far off the centre usually is at a place."""

import math

from smooth import centre

NEAREST, EXTRA = 12, 0.03


def own_residuals(features, targets, bandwidth):
    """The residual of each training point, predicted without itself."""
    return [
        target - centre(feature, features, targets, bandwidth, number)
        for number, (feature, target) in enumerate(zip(features, targets))
    ]


def local_scale(place, features, residuals):
    """The scale of residuals at a place.

    features, residuals: those of the training points.
    """
    nearest = sorted(range(len(features)), key=lambda number: abs(features[number] - place))[:NEAREST]
    total = mass = 0.0
    for rank, number in enumerate(nearest):
        share = NEAREST - rank
        total, mass = total + share * abs(residuals[number]), mass + share
    return total / mass + EXTRA
