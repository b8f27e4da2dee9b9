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
        third = len(values) // 3
        parts += [values[:third], values[len(values) - third:]]
    return parts


def folded(chains):
    """How far each draw lies from the middle of all."""
    middle = mean([value for values in chains for value in values])
    return [[(value - middle) ** 2 for value in values] for values in chains]


def shrink_factor(parts):
    """The ratio that is 1 if the parts agree."""
    count, number = len(parts[0]), len(parts)
    within = mean([variance(part) for part in parts])
    between = variance([mean(part) for part in parts])
    return math.sqrt((count - 1) / count + (1 + 1 / number) * between / within)


def both(chains):
    """The mean of the plain and the folded shrink_factor."""
    return (shrink_factor(split(chains)) + shrink_factor(split(folded(chains)))) / 2
