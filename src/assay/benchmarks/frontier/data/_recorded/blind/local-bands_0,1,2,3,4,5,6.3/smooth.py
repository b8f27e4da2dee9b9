"""The centre of the bands."""

import math


def weight(distance, bandwidth):
    """How much a training point counts at a distance."""
    return math.exp(-distance / bandwidth)


def centre(place, features, targets, bandwidth, without=None):
    """The weighted mean of the targets around a place.

    without: the number of a training point that is left out, or None.
    """
    total = mass = 0.0
    for number, (feature, target) in enumerate(zip(features, targets)):
        if number != without:
            share = weight(abs(feature - place), bandwidth)
            total, mass = total + share * target, mass + share
    return total / mass
