"""How much a measurement is believed."""


def believed(level, innovation, spread):
    """The variance of the measurement noise that the correction uses for this measurement.

    level: the running noise level.
    innovation: the measured position minus the predicted one.
    spread: the predicted standard deviation of the innovation.
    """
    far = abs(innovation) / spread
    return level * max(1.0, far / 1.8)
