"""How much a measurement is believed."""


def believed(level, innovation, spread):
    """The variance of the measurement noise that the correction uses for this measurement.

    level: the running noise level.
    innovation: the measured position minus the predicted one.
    spread: the predicted standard deviation of the innovation.
    """
    size = abs(innovation) / spread
    if size <= 2.32:
        return level
    return level * (1 + (size - 2.32) ** 0.47)
