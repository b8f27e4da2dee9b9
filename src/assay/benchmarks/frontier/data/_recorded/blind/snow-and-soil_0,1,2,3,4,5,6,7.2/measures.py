"""How well a flow fits the gauge."""

import math


def efficiency(flows, measured):
    """One minus the distance from a perfect fit.

    flows, measured: computed and measured flow of each day.
    """
    ours = [math.sqrt(max(0.0, flow)) for flow in flows[60:]]
    true = [math.sqrt(max(0.0, flow)) for flow in measured[60:]]
    count = len(ours)
    mean, other = sum(ours) / count, sum(true) / count
    spread = math.sqrt(sum((flow - mean) ** 2 for flow in ours) / count)
    wide = math.sqrt(sum((flow - other) ** 2 for flow in true) / count)
    joint = sum((a - mean) * (b - other) for a, b in zip(ours, true)) / count
    fit = joint / (spread * wide)
    bias = mean / other
    variation = (spread / mean) / (wide / other)
    return 1 - math.sqrt((fit - 1) ** 2 + (bias - 1) ** 2 + (variation - 1) ** 2)
