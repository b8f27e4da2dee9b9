"""The running level of the measurement noise."""


def update_level(level, innovation, residual, before, after):
    """The noise level after one more measurement.

    level: the level before.
    innovation, residual: the measured position minus the predicted and minus the corrected one.
    before, after: the variance of the position before and after the correction.
    """
    said = min(innovation**2, 2.6427**2 * (before + level)) - before
    return max(0.0296, level + 0.0704 * (said - level))
