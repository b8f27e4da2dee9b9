"""Mixes the forecasts of several contexts on the scale of log odds."""

import math


def stretch(chance):
    """Log odds."""
    return math.log(chance / (1 - chance))


def squash(value):
    """The inverse of stretch."""
    return 1 / (1 + math.exp(-value))


def mixed(inputs, weights):
    """The chance of a one, from the inputs on the scale of log odds.

    It never comes too close to 0 or 1.
    """
    total = sum(weight * value for weight, value in zip(weights, inputs))
    return squash(max(-3.2, min(3.2, total)))


def learned(weights, inputs, chance, bit, time):
    """The weights after one more bit.

    chance: the mixed forecast of a one. time: the number of bits before this one.
    """
    rate = max(0.014, 0.09 / math.sqrt(1 + time / 40))
    return [max(0.0, weight + rate * (bit - chance) * value) for weight, value in zip(weights, inputs)]
