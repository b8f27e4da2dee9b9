"""How well a flow fits the gauge."""

import math


def efficiency(flows, measured):
    """One minus the distance from a perfect fit.

    flows, measured: computed and measured flow of each day.
    """
    skip, power = 90, 0.5
    a = [max(0.0, x) ** power for x in flows[skip:]]
    b = [max(0.0, x) ** power for x in measured[skip:]]
    n = len(a)
    ma, mb = sum(a) / n, sum(b) / n
    sa = math.sqrt(sum((x - ma) ** 2 for x in a) / n)
    sb = math.sqrt(sum((x - mb) ** 2 for x in b) / n)
    r = sum((x - ma) * (y - mb) for x, y in zip(a, b)) / n / (sa * sb)
    return 1 - math.sqrt((r - 1) ** 2 + (sa / sb - 1) ** 2 + (ma / mb - 1) ** 2)
