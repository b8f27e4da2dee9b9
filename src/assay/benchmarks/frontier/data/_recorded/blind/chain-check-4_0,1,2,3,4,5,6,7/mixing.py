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
    parts = []
    for values in chains:
        half = len(values) // 2
        parts += [values[:half], values[len(values) - half:]]
    return parts


def folded(chains):
    """How far each draw lies from the middle of all."""
    every = sorted(value for values in chains for value in values)
    count = len(every)
    middle = (every[(count - 1) // 2] + every[count // 2]) / 2
    return [[abs(value - middle) for value in values] for values in chains]


def shrink_factor(parts):
    """The ratio that is 1 if the parts agree."""
    count = len(parts[0])
    within = mean([variance(part) for part in parts])
    between = variance([mean(part) for part in parts])
    return math.sqrt((count - 1) / count + between / within)


def both(chains):
    """The mean of the plain and the folded shrink_factor."""
    return (shrink_factor(split(chains)) + shrink_factor(split(folded(chains)))) / 2
