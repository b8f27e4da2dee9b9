"""What is measured on a track."""

import math


def consistency(innovations, spreads):
    """How large standardised innovations are: 1 for a filter that is right about itself."""
    scores = [abs(innovation) / spread for innovation, spread in zip(innovations, spreads)][10:]
    return sum(scores) / len(scores) * math.sqrt(math.pi / 2)


def log_likelihood(innovations, spreads):
    """The mean log likelihood of a measurement under its predicted normal distribution."""
    terms = [
        -0.5 * math.log(2 * math.pi) - math.log(spread) - 0.5 * (innovation / spread) ** 2
        for innovation, spread in zip(innovations, spreads)
    ]
    return sum(terms[20:]) / len(terms[20:])


def error(estimates, truth):
    """The root of the mean squared error."""
    return math.sqrt(sum((estimate - value) ** 2 for estimate, value in zip(estimates, truth)) / len(truth))
