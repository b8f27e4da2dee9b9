"""Corrects forecasts that are systematically off. The table has the chance of a one at NODES, evenly spaced log odds."""

from mixing import squash, stretch

NODES = [node / 2 for node in range(-8, 9)]


def place(chance):
    """The node below a forecast, and how far the forecast is on the way to the next one, from 0 to 1."""
    position = (min(3.999, max(-3.999, stretch(chance))) + 4) * 2
    return int(position), position - int(position)


def first_table():
    """The table before the first bit."""
    return [squash(node) for node in NODES]


def refined(table, chance):
    """The corrected forecast."""
    low, way = place(chance)
    told = (1 - way) * table[low] + way * table[low + 1]
    return 0.3 * chance + 0.7 * told


def adjusted(table, chance, bit):
    """The table after one more bit; `chance` is the forecast before the correction."""
    low, way = place(chance)
    table = list(table)
    table[low] += 0.035 * (1 - way) * (bit - table[low])
    table[low + 1] += 0.035 * way * (bit - table[low + 1])
    return table
