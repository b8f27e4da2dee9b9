"""The running level of the measurement noise."""


def update_level(level, innovation, residual, before, after):
    """The noise level after one more measurement.

    level: the level before.
    innovation, residual: the measured position minus the predicted and minus the corrected one.
    before, after: the variance of the position before and after the correction.
    """
    said = innovation**2 - before
    return max(0.01, level + 0.05 * (1 - after / before) * (said - level))
