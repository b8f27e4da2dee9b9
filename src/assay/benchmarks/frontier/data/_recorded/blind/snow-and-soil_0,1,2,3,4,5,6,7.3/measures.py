"""How well a flow fits the gauge."""

import math

SKIP = 60


def efficiency(flows, measured):
    """One minus the distance from a perfect fit.

    flows, measured: computed and measured flow of each day.
    """
    a = [math.sqrt(max(0.0, flow)) for flow in flows[SKIP:]]
    b = [math.sqrt(max(0.0, flow)) for flow in measured[SKIP:]]
    n = len(a)
    mean_a, mean_b = sum(a) / n, sum(b) / n
    spread_a = math.sqrt(sum((x - mean_a) ** 2 for x in a) / n)
    spread_b = math.sqrt(sum((y - mean_b) ** 2 for y in b) / n)
    r = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b)) / n / (spread_a * spread_b)
    beta = mean_a / mean_b
    gamma = (spread_a / mean_a) / (spread_b / mean_b)
    return 1 - math.sqrt((r - 1) ** 2 + (beta - 1) ** 2 + (gamma - 1) ** 2)
