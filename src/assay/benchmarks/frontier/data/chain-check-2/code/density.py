"""The density: a bent ridge."""


def log_density(point):
    """The log density up to a constant."""
    x, y = point
    return -0.5 * (x * x / 4.0 + (y - 0.3 * x * x) ** 2 / 0.5)
