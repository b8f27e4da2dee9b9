"""What a driver wants. Lengths are in m, speeds in m/s, pushes (accelerations) in m/s²."""

import math


def wanted_gap(speed, closing):
    """The gap to the car ahead that a driver wants.

    closing: own speed minus that of the car ahead.
    """
    return 2.1 + max(0.0, speed * 1.4223 + speed * closing / (2 * math.sqrt(1.026 * 2.0096)))


def push(speed, limit, wanted, gap):
    """The push that a driver wants.

    limit: the speed that the driver would choose on an empty road.
    """
    return 1.026 * (1 - (speed / limit) ** 5.3131 - (wanted / gap) ** 2)
