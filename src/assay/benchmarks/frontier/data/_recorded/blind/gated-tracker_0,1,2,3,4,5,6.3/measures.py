"""What is measured on a track."""

import math


def consistency(innovations, spreads):
    """How large standardised innovations are: 1 for a filter that is right about itself."""
    pairs = list(zip(innovations, spreads))[5:]
    return sum((i / s) ** 2 for i, s in pairs) / len(pairs)


def log_likelihood(innovations, spreads):
    """The mean log likelihood of a measurement under its predicted normal distribution."""
    return -sum(math.log(2 * math.pi * s * s) + (i / s) ** 2 for i, s in zip(innovations, spreads)) / 2 / len(spreads)


def error(estimates, truth):
    """The root of the mean squared error."""
    return math.sqrt(sum((estimate - value) ** 2 for estimate, value in zip(estimates, truth)) / len(truth))
