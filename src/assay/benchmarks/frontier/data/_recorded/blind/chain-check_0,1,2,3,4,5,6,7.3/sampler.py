"""Chains that tune their step size during the warm-up."""

import math
import random

from density import log_density

TARGET = 0.4


def adapted(log_size, accepted, number):
    """The log of the step size after one more proposal of the warm-up.

    accepted: the probability with which the proposal was accepted, between 0 and 1.
    number: the number of the proposal, counted from 1.
    """
    return log_size + 0.5 / (1 + number / 10) * (accepted - TARGET)


def propose(point, size, source):
    """A new point near the present one.

    source: gives normal deviates by source.gauss(0.0, 1.0).
    """
    one, two = source.gauss(0.0, 1.0), source.gauss(0.0, 1.0)
    return point[0] + size * one, point[1] + size * (0.6 * one + 0.8 * two)


def chain(warm_up, draws, seed):
    """The draws after the warm-up, the share accepted, and the step size with its course."""
    source = random.Random(seed * 8191 + 29)
    point = source.gauss(0.0, 3.0), source.gauss(0.0, 3.0)
    here, log_size, course = log_density(point), 0.0, []
    kept, accepted = [], 0
    for number in range(1, warm_up + draws + 1):
        new = propose(point, math.exp(log_size), source)
        there = log_density(new)
        chance = math.exp(min(0.0, there - here))
        taken = source.random() < chance
        if taken:
            point, here = new, there
        if number <= warm_up:
            log_size = adapted(log_size, chance, number)
            course.append((point, log_size))
        else:
            kept.append(point)
            accepted += taken
    return kept, accepted / draws, course
