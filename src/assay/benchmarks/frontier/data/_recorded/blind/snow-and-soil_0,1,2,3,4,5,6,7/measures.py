"""How well a flow fits the gauge."""

import math


def efficiency(flows, measured):
    """One minus the distance from a perfect fit.

    flows, measured: computed and measured flow of each day.
    """
    first = [math.sqrt(flow) for flow in flows[60:]]
    second = [math.sqrt(flow) for flow in measured[60:]]
    count = len(first)
    mean_1, mean_2 = sum(first) / count, sum(second) / count
    spread_1 = math.sqrt(sum((value - mean_1) ** 2 for value in first) / count)
    spread_2 = math.sqrt(sum((value - mean_2) ** 2 for value in second) / count)
    together = sum((a - mean_1) * (b - mean_2) for a, b in zip(first, second)) / count
    fit = together / (spread_1 * spread_2)
    variation = (spread_1 / mean_1) / (spread_2 / mean_2)
    return 1 - math.sqrt((fit - 1) ** 2 + (mean_1 / mean_2 - 1) ** 2 + (variation - 1) ** 2)
