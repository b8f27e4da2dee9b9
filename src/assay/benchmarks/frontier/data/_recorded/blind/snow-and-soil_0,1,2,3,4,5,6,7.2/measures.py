"""How well a flow fits the gauge."""

import math


def efficiency(flows, measured):
    """One minus the distance from a perfect fit.

    flows, measured: computed and measured flow of each day.
    """
    ours = [math.sqrt(flow) for flow in flows[60:]]
    theirs = [math.sqrt(flow) for flow in measured[60:]]
    size = len(ours)
    mean_a, mean_b = sum(ours) / size, sum(theirs) / size
    spread_a = math.sqrt(sum((a - mean_a) ** 2 for a in ours) / size)
    spread_b = math.sqrt(sum((b - mean_b) ** 2 for b in theirs) / size)
    joint = sum((a - mean_a) * (b - mean_b) for a, b in zip(ours, theirs)) / size
    correlation = joint / (spread_a * spread_b)
    bias = mean_a / mean_b
    variation = (spread_a / mean_a) / (spread_b / mean_b)
    return 1 - math.sqrt((correlation - 1) ** 2 + (bias - 1) ** 2 + (variation - 1) ** 2)
