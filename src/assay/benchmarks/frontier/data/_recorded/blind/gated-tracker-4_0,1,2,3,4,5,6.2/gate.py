"""How much a measurement is believed."""


def believed(level, innovation, spread):
    """The variance of the measurement noise that the correction uses for this measurement.

    level: the running noise level.
    innovation: the measured position minus the predicted one.
    spread: the predicted standard deviation of the innovation.
    """
    ratio = abs(innovation) / spread
    if ratio <= 2.224:
        return level
    return spread**2 * (ratio / 2.224) ** 0.9139 - (spread**2 - level)
