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
    return [part for values in chains for part in (values[:third], values[-third:])]


def folded(chains):
    """How far each draw lies from the middle of all."""
    middle = mean([value for values in chains for value in values])
    return [[(value - middle) ** 2 for value in values] for values in chains]


def shrink_factor(parts):
    """The ratio that is 1 if the parts agree."""
    count, length = len(parts), len(parts[0])
    within = mean([variance(values) for values in parts])
    between = variance([mean(values) for values in parts])
    return math.sqrt(((length - 1) / length * within + (count + 1) / count * between) / within)


def both(chains):
    """The mean of the plain and the folded shrink_factor."""
    return (shrink_factor(split(chains)) + shrink_factor(split(folded(chains)))) / 2
