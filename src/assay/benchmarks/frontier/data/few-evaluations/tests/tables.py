"""Draws tables of settings with their losses."""

import numpy as np
from columns import Maker
from families import FAMILIES

ROWS, BUDGET = 400, 25.0
COSTS = 0.3, 3.0
"""The least and the largest cost of a row, of which the mean is about 1."""
FEWEST, MOST = 2, 8
"""Columns of a table."""


def draw_table(family, source):
    """A problem as the program sees it, and its truth: true losses (None: the run fails) and noise of each row."""
    while True:
        make = Maker(source, ROWS)
        loss, fails, cost, noise = FAMILIES[family](make, source)
        values = np.where(fails, np.nan, loss)
        spread = np.nanmedian(values) - np.nanmin(values)
        if FEWEST <= len(make.columns) <= MOST and fails.mean() < 0.5 and spread > 0.02:
            break
    scale, start = 10 ** source.uniform(-1, 2), source.normal(0, 2)
    cost = np.clip(cost / cost.mean(), *COSTS)
    order = source.permutation(len(make.columns))
    columns = [make.columns[number] for number in order]
    problem = {
        "kinds": [column.kind for column in columns],
        "rows": [list(row) for row in zip(*(column.values for column in columns))],
        "costs": [round(float(value), 2) for value in cost],
        "budget": BUDGET,
    }
    noise = np.broadcast_to(np.asarray(noise) * spread / 0.3, ROWS)
    losses = [None if np.isnan(value) else float(f"{scale * (value + start):.5g}") for value in values]
    return problem, {"losses": losses, "noise": [float(f"{scale * value:.3g}") for value in noise]}
