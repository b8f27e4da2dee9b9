"""What is measured on a track."""

import math

SKIP = 20
LOWEST = -6.0


def consistency(innovations, spreads):
    """How large standardised innovations are: 1 for a filter that is right about itself."""
    squares = [(innovation / spread) ** 2 for innovation, spread in zip(innovations, spreads)][SKIP:]
    return sum(squares) / (len(squares) - 1)


def log_likelihood(innovations, spreads):
    """The mean log likelihood of a measurement under its predicted normal distribution."""
    values = [
        -0.5 * math.log(2 * math.pi * spread**2) - 0.5 * (innovation / spread) ** 2
        for innovation, spread in zip(innovations, spreads)
    ]
    return sum(max(value, LOWEST) for value in values) / len(values)


def error(estimates, truth):
    """The root of the mean squared error."""
    return math.sqrt(sum((estimate - value) ** 2 for estimate, value in zip(estimates, truth)) / len(truth))
