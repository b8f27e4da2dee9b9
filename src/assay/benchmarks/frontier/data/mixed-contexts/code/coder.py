"""Forecasts a sequence bit by bit."""

import math

from counts import estimated, observed, trusted
from mixing import learned, mixed, stretch
from refining import adjusted, first_table, refined

ORDERS = (1, 2, 4, 6)


def costs(bits, parts):
    """The cost of each bit, in bits; `parts` says which parts of the method are used."""
    orders = ORDERS if "mix" in parts else (2,)
    cells = [{} for _ in orders]
    weights = [1 / len(orders)] * len(orders)
    table = first_table()
    history, spent = (0,) * max(ORDERS), []
    for time, bit in enumerate(bits):
        pairs = [cell.get(history[len(history) - order :], (0.0, 0.0)) for cell, order in zip(cells, orders)]
        if "mix" in parts:
            inputs = [trusted(*pair) * stretch(estimated(*pair)) for pair in pairs]
            chance = mixed(inputs, weights)
            if "learn" in parts:
                weights = learned(weights, inputs, chance, bit, time)
        else:
            chance = estimated(*pairs[0])
        final = refined(table, chance) if "refine" in parts else chance
        if "refine" in parts:
            table = adjusted(table, chance, bit)
        spent.append(-math.log2(final if bit else 1 - final))
        for cell, order, pair in zip(cells, orders, pairs):
            cell[history[len(history) - order :]] = observed(*pair, bit)
        history = (*history[1:], bit)
    return spent
