"""The running level of the measurement noise."""

FLOOR = 0.02


def update_level(level, innovation, residual, before, after):
    """The noise level after one more measurement.

    level: the level before.
    innovation, residual: the measured position minus the predicted and minus the corrected one.
    before, after: the variance of the position before and after the correction.
    """
    says = min(innovation**2, 9.0 * (before + level)) - before
    return max(FLOOR, level + 0.05 * (says - level))
