"""Two stores below the soil, and the way of their water to the gauge."""

import math


def percolation(upper):
    """The water that goes from the upper to the lower store in one day."""
    return min(upper, 1.4)


def outflows(upper, lower):
    """What leaves both stores in one day, as (from the upper, from the lower)."""
    return 0.09 * upper + 0.32 * max(0.0, upper - 17.0), 0.035 * lower


def delays(base):
    """The shares of a day's outflow that reach the gauge on the same day, one day later, and so on.

    base: the days that it takes until all has arrived, not always a whole number.
    """
    def arrived(time):
        x, peak = min(1.0, time / base), 0.31
        return x * x / peak if x < peak else 1 - (1 - x) ** 2 / (1 - peak)

    days = max(1, math.ceil(base))
    return [arrived(day + 1) - arrived(day) for day in range(days)]
