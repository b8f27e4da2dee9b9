"""The running level of the measurement noise."""


def update_level(level, innovation, residual, before, after):
    """The noise level after one more measurement.

    level: the level before.
    innovation, residual: the measured position minus the predicted and minus the corrected one.
    before, after: the variance of the position before and after the correction.
    """
    said = 0.68 * (residual**2 + after)
    return max(0.04, level + 0.048 * (said - level))
