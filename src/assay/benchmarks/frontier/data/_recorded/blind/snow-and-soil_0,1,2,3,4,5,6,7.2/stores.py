"""Two stores below the soil, and the way of their water to the gauge."""


def percolation(upper):
    """The water that goes from the upper to the lower store in one day."""
    return min(1.4, 0.3 * upper)


def outflows(upper, lower):
    """What leaves both stores in one day, as (from the upper, from the lower)."""
    return 0.32 * max(0.0, upper - 17.0) + 0.09 * upper, 0.035 * lower


def delays(base):
    """The shares of a day's outflow that reach the gauge on the same day, one day later, and so on.

    base: the days that it takes until all has arrived, not always a whole number.
    """
    def arrived(time):
        part = min(1.0, max(0.0, time / base))
        return 3 * part * part if part < 1 / 3 else 1 - 1.5 * (1 - part) ** 2

    shares, day = [], 0
    while day < base:
        shares.append(arrived(day + 1) - arrived(day))
        day += 1
    return shares
