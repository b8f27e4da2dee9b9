"""The running level of the measurement noise."""


def update_level(level, innovation, residual, before, after):
    """The noise level after one more measurement.

    level: the level before.
    innovation, residual: the measured position minus the predicted and minus the corrected one.
    before, after: the variance of the position before and after the correction.
    """
    return max(0.05, level + 0.03 * (residual**2 - level))
