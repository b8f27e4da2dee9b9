"""What is measured on a track."""

import math


def consistency(innovations, spreads):
    """How large standardised innovations are: 1 for a filter that is right about itself."""
    sizes = [abs(innovation) / spread for innovation, spread in zip(innovations, spreads)][10:]
    return sum(sizes) / len(sizes) * math.sqrt(math.pi / 2)


def log_likelihood(innovations, spreads):
    """The mean log likelihood of a measurement under its predicted normal distribution."""
    values = [
        -0.5 * (innovation / spread) ** 2 - math.log(spread) - 0.5 * math.log(2 * math.pi)
        for innovation, spread in zip(innovations, spreads)
    ][20:]
    return sum(values) / len(values)


def error(estimates, truth):
    """The root of the mean squared error."""
    return math.sqrt(sum((estimate - value) ** 2 for estimate, value in zip(estimates, truth)) / len(truth))
