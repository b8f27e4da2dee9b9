"""The running level of the measurement noise."""


import math


def update_level(level, innovation, residual, before, after):
    """The noise level after one more measurement.

    level: the level before.
    innovation, residual: the measured position minus the predicted and minus the corrected one.
    before, after: the variance of the position before and after the correction.
    """
    said = (math.pi / 2 * level * max(innovation * residual, 0.0)) ** 0.5
    return max(0.05, level + 0.14 * (said - level))
