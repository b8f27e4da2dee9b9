"""The running level of the measurement noise."""


def update_level(level, innovation, residual, before, after):
    """The noise level after one more measurement.

    level: the level before.
    innovation, residual: the measured position minus the predicted and minus the corrected one.
    before, after: the variance of the position before and after the correction.
    """
    said = 1.3093 * level * abs(innovation) / (before + level) ** 0.5
    return max(0.1091, level + 0.1542 * (said - level))
