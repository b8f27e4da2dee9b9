"""Two stores below the soil, and the way of their water to the gauge."""


def percolation(upper):
    """The water that goes from the upper to the lower store in one day."""
    return min(upper, 1.4)


def outflows(upper, lower):
    """What leaves both stores in one day, as (from the upper, from the lower)."""
    return 0.32 * max(0.0, upper - 17.0) + 0.09 * upper, 0.035 * lower


def delays(base):
    """The shares of a day's outflow that reach the gauge on the same day, one day later, and so on.

    base: the days that it takes until all has arrived, not always a whole number.
    """
    peak = base / 3

    def arrived(time):
        time = min(time, base)
        return time * time / (base * peak) if time < peak else 1 - (base - time) ** 2 / (base * (base - peak))

    shares, day = [], 0
    while day < base:
        shares.append(arrived(day + 1) - arrived(day))
        day += 1
    return shares
