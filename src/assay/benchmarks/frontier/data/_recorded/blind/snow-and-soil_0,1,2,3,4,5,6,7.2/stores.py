"""Two stores below the soil, and the way of their water to the gauge."""

import math


def percolation(upper):
    """The water that goes from the upper to the lower store in one day."""
    return min(0.3 * upper, 1.4)


def outflows(upper, lower):
    """What leaves both stores in one day, as (from the upper, from the lower)."""
    return 0.09 * upper + 0.32 * max(0.0, upper - 17.0), 0.035 * lower


def delays(base):
    """The shares of a day's outflow that reach the gauge on the same day, one day later, and so on.

    base: the days that it takes until all has arrived, not always a whole number.
    """
    peak = base / 3

    def arrived(time):
        if time >= base:
            return 1.0
        if time <= peak:
            return time**2 / (base * peak)
        return 1 - (base - time) ** 2 / (base * (base - peak))

    return [arrived(day + 1) - arrived(day) for day in range(math.ceil(base))]
