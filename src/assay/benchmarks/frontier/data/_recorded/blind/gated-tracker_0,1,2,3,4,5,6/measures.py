"""What is measured on a track."""

import math


def consistency(innovations, spreads):
    """How large standardised innovations are: 1 for a filter that is right about itself."""
    pairs = list(zip(innovations, spreads))[SKIP:]
    return math.sqrt(math.pi / 2) * sum(abs(i) / s for i, s in pairs) / len(pairs)


SKIP = 5


def log_likelihood(innovations, spreads):
    """The mean log likelihood of a measurement under its predicted normal distribution."""
    pairs = list(zip(innovations, spreads))[SKIP:]
    return -0.5 * sum(math.log(2 * math.pi * s**2) + (i / s) ** 2 for i, s in pairs) / len(pairs)


def error(estimates, truth):
    """The root of the mean squared error."""
    return math.sqrt(sum((estimate - value) ** 2 for estimate, value in zip(estimates, truth)) / len(truth))
