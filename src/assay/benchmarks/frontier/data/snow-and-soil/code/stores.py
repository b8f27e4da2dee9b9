"""Two stores below the soil, and the way of their water to the gauge."""


def percolation(upper):
    """The water that goes from the upper to the lower store in one day."""
    return min(1.4, 0.3 * upper)


def outflows(upper, lower):
    """What leaves both stores in one day, as (from the upper, from the lower)."""
    quick = 0.09 * upper + 0.32 * max(0.0, upper - 17.0)
    return quick, 0.035 * lower


def delays(base):
    """The shares of a day's outflow that reach the gauge on the same day, one day later, and so on.

    base: the days that it takes until all has arrived, not always a whole number.
    """
    peak = base / 3

    def arrived(time):
        time = min(time, base)
        if time <= peak:
            return time**2 / (base * peak)
        return 1 - (base - time) ** 2 / (base * (base - peak))

    count = int(base) + (base > int(base))
    return [arrived(day + 1) - arrived(day) for day in range(count)]
