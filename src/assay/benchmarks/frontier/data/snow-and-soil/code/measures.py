"""How well a flow fits the gauge."""

import math


def efficiency(flows, measured):
    """One minus the distance from a perfect fit.

    flows, measured: computed and measured flow of each day.
    """
    x, y = [math.sqrt(value) for value in flows[60:]], [math.sqrt(value) for value in measured[60:]]
    count = len(x)
    mean_x, mean_y = sum(x) / count, sum(y) / count
    spread_x = math.sqrt(sum((value - mean_x) ** 2 for value in x) / count)
    spread_y = math.sqrt(sum((value - mean_y) ** 2 for value in y) / count)
    together = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / count / spread_x / spread_y
    change = (spread_x / mean_x) / (spread_y / mean_y)
    return 1 - math.sqrt((together - 1) ** 2 + (change - 1) ** 2 + (mean_x / mean_y - 1) ** 2)
