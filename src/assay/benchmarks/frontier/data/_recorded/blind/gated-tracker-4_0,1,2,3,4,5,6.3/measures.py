"""What is measured on a track."""

import math


def consistency(innovations, spreads):
    """How large standardised innovations are: 1 for a filter that is right about itself."""
    skip = 10
    values = [(v / s) ** 2 for v, s in zip(innovations[skip:], spreads[skip:])]
    return sum(values) / len(values)


def log_likelihood(innovations, spreads):
    """The mean log likelihood of a measurement under its predicted normal distribution."""
    skip = 10
    values = [-0.5 * math.log(2 * math.pi) - math.log(s) - 0.5 * (v / s) ** 2 for v, s in zip(innovations[skip:], spreads[skip:])]
    return sum(values) / len(values)


def error(estimates, truth):
    """The root of the mean squared error."""
    return math.sqrt(sum((estimate - value) ** 2 for estimate, value in zip(estimates, truth)) / len(truth))
