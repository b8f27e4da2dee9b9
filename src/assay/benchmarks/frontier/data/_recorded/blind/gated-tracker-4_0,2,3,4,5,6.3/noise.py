"""The running level of the measurement noise."""

RATE, CLIP, FLOOR = 0.05, 3.0, 0.02


def update_level(level, innovation, residual, before, after):
    """The noise level after one more measurement.

    level: the level before.
    innovation, residual: the measured position minus the predicted and minus the corrected one.
    before, after: the variance of the position before and after the correction.
    """
    seen = min(innovation**2, CLIP**2 * (before + level)) - before
    return max(FLOOR, level + RATE * (seen - level))
