"""Rows that stay, with plain loops."""

import numpy as np


def by_variance(propensity, weight):
    cost = 1.0 / (propensity * (1.0 - propensity))
    total = size = 0.0
    limit = level = 0.0
    for row in sorted(range(len(cost)), key=lambda row: cost[row]):
        total += weight[row] * cost[row]
        size += weight[row]
        if cost[row] <= 2.0 * total / size:
            limit, level = cost[row], total / size
    return cost <= limit, level


def kept_rows(propensity, weight, trim):
    if trim == "auto":
        return by_variance(propensity, weight)
    kept = ~((propensity < trim) | (propensity > 1.0 - trim))
    cost = 1 / propensity[kept] + 1 / (1 - propensity[kept])
    return kept, weight[kept] @ cost / weight[kept].sum()
