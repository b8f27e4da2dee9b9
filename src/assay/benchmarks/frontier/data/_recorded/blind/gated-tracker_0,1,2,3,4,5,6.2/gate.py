"""How much a measurement is believed."""

import math


def believed(level, innovation, spread):
    """The variance of the measurement noise that the correction uses for this measurement.

    level: the running noise level.
    innovation: the measured position minus the predicted one.
    spread: the predicted standard deviation of the innovation.
    """
    z = abs(innovation) / spread
    return level if z <= 3.0 else level * (1 + math.log(z))
