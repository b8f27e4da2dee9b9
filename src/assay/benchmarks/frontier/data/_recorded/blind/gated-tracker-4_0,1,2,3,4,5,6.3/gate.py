"""How much a measurement is believed."""


def believed(level, innovation, spread):
    """The variance of the measurement noise that the correction uses for this measurement.

    level: the running noise level.
    innovation: the measured position minus the predicted one.
    spread: the predicted standard deviation of the innovation.
    """
    z = abs(innovation) / spread
    if z <= 2.5:
        return level
    return level + spread**2 * (z / 2.5 - 1)
