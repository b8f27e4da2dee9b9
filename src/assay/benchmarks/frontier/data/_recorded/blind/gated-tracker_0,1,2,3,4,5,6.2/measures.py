"""What is measured on a track."""

import math


def consistency(innovations, spreads):
    """How large standardised innovations are: 1 for a filter that is right about itself."""
    z = [(i / s) ** 2 for i, s in zip(innovations, spreads)][5:]
    return math.sqrt(sum(z) / len(z))


def log_likelihood(innovations, spreads):
    """The mean log likelihood of a measurement under its predicted normal distribution."""
    values = [-0.5 * (math.log(2 * math.pi * s * s) + (i / s) ** 2) for i, s in zip(innovations, spreads)]
    return sum(values) / len(values)


def error(estimates, truth):
    """The root of the mean squared error."""
    return math.sqrt(sum((estimate - value) ** 2 for estimate, value in zip(estimates, truth)) / len(truth))
