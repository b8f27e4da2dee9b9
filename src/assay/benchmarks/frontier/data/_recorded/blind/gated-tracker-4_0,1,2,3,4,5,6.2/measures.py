"""What is measured on a track."""

import math


def consistency(innovations, spreads):
    """How large standardised innovations are: 1 for a filter that is right about itself."""
    pairs = list(zip(innovations, spreads))[10:]
    return sum((i / s) ** 2 for i, s in pairs) / len(pairs)


def log_likelihood(innovations, spreads):
    """The mean log likelihood of a measurement under its predicted normal distribution."""
    pairs = list(zip(innovations, spreads))
    return sum(-0.5 * math.log(2 * math.pi * s * s) - 0.5 * min(9.0, (i / s) ** 2) for i, s in pairs) / len(pairs)


def error(estimates, truth):
    """The root of the mean squared error."""
    return math.sqrt(sum((estimate - value) ** 2 for estimate, value in zip(estimates, truth)) / len(truth))
