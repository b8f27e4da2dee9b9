"""What a driver wants. Lengths are in m, speeds in m/s, pushes (accelerations) in m/s²."""

import math


def wanted_gap(speed, closing):
    """The gap to the car ahead that a driver wants.

    closing: own speed minus that of the car ahead.
    """
    return 2.3 + max(0.0, speed * 1.25 + speed * closing / (2 * math.sqrt(1.1 * 1.9)))


def push(speed, limit, wanted, gap):
    """The push that a driver wants.

    limit: the speed that the driver would choose on an empty road.
    """
    return 1.1 * (1 - (speed / limit) ** 3.5 - (wanted / gap) ** 2)
