"""How much a measurement is believed."""

GATE = 2.4


def believed(level, innovation, spread):
    """The variance of the measurement noise that the correction uses for this measurement.

    level: the running noise level.
    innovation: the measured position minus the predicted one.
    spread: the predicted standard deviation of the innovation.
    """
    ratio = abs(innovation) / spread
    if ratio <= GATE:
        return level
    return spread**2 * ratio / GATE - (spread**2 - level)
