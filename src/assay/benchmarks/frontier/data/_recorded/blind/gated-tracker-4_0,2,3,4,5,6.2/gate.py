"""How much a measurement is believed."""


def believed(level, innovation, spread):
    """The variance of the measurement noise that the correction uses for this measurement.

    level: the running noise level.
    innovation: the measured position minus the predicted one.
    spread: the predicted standard deviation of the innovation.
    """
    total = spread * spread
    size = abs(innovation) / spread
    if size <= 2.4:
        return level
    return total * size / 2.4 - (total - level)
