"""How well a flow fits the gauge."""

import math


def efficiency(flows, measured):
    """One minus the distance from a perfect fit.

    flows, measured: computed and measured flow of each day.
    """
    x = [math.sqrt(flow) for flow in flows[60:]]
    y = [math.sqrt(flow) for flow in measured[60:]]
    n = len(x)
    mx, my = sum(x) / n, sum(y) / n
    sx = math.sqrt(sum((v - mx) ** 2 for v in x) / n)
    sy = math.sqrt(sum((v - my) ** 2 for v in y) / n)
    r = sum((a - mx) * (b - my) for a, b in zip(x, y)) / n / (sx * sy)
    bias = mx / my
    ratio = (sx / mx) / (sy / my)
    return 1 - math.sqrt((r - 1) ** 2 + (ratio - 1) ** 2 + (bias - 1) ** 2)
