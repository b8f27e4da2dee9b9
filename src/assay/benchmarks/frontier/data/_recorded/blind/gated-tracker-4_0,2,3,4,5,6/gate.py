"""How much a measurement is believed."""

GATE = 2.4


def believed(level, innovation, spread):
    """The variance of the measurement noise that the correction uses for this measurement.

    level: the running noise level.
    innovation: the measured position minus the predicted one.
    spread: the predicted standard deviation of the innovation.
    """
    size = abs(innovation) / spread
    if size <= GATE:
        return level
    return level + spread**2 * (size / GATE - 1)
