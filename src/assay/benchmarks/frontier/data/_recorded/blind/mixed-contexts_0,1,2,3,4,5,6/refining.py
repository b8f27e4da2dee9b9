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
    node, way = place(chance)
    return 0.3 * chance + 0.7 * ((1 - way) * table[node] + way * table[node + 1])


def adjusted(table, chance, bit):
    """The table after one more bit; `chance` is the forecast before the correction."""
    node, way = place(chance)
    table = list(table)
    table[node] += 0.035 * (1 - way) * (bit - table[node])
    table[node + 1] += 0.035 * way * (bit - table[node + 1])
    return table
