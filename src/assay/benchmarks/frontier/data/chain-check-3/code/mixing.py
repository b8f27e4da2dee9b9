"""Whether chains agree."""

import math


def mean(values):
    """The mean."""
    return sum(values) / len(values)


def variance(values):
    """The variance with one degree of freedom taken off."""
    middle = mean(values)
    return sum((value - middle) ** 2 for value in values) / (len(values) - 1)


def split(chains):
    """The parts of all chains that are compared."""
    third = len(chains[0]) // 3
    return [values[third * number : third * (number + 1)] for values in chains for number in range(3)]


def folded(chains):
    """How far each draw lies from the middle of all."""
    return [[abs(value - mean(values[:50])) for value in values] for values in chains]


def disagreement(parts):
    """The ratio that is 1 if the parts agree."""
    length = len(parts[0])
    within = mean([variance(part) for part in parts])
    between = length * variance([mean(part) for part in parts])
    return math.sqrt(1.0 + between / within / length)


def both(chains):
    """The mean of the plain and the folded disagreement."""
    return (disagreement(split(chains)) + disagreement(split(folded(chains)))) / 2
