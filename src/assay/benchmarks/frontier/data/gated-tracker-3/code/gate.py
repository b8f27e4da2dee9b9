"""How much a measurement is doubt."""


def doubt(level, innovation, spread):
    """The variance of the measurement noise that the correction uses for this measurement.

    level: the running noise level.
    innovation: the measured position minus the predicted one.
    spread: the predicted standard deviation of the innovation.
    """
    score = abs(innovation) / spread
    return level if score <= 1.6 else level * (1.0 + (score - 1.6) ** 2)
