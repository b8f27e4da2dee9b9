"""How alike the two arms are, before and after weighting."""

from __future__ import annotations

import numpy as np
from tables import Table


def arm_moments(values: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Weighted mean and variance of the observed values."""
    seen = ~np.isnan(values)
    mean = float(np.average(values[seen], weights=weight[seen]))
    return mean, float(np.average((values[seen] - mean) ** 2, weights=weight[seen]))


def differences(table: Table, kept: np.ndarray, propensity: np.ndarray) -> tuple[float, float]:
    """The largest standardised difference of a covariate before and after weighting."""
    before, after = [], []
    inverse = np.where(table.treated == 1, 1.0 / propensity, 1.0 / (1.0 - propensity))
    for values in table.covariates.T:
        plain, weighted = [], []
        for arm in (1, 0):
            mine = table.treated == arm
            plain.append(arm_moments(values[mine], table.weight[mine]))
            stays = mine & kept
            weighted.append(arm_moments(values[stays], (table.weight * inverse)[stays]))
        scale = np.sqrt((plain[0][1] + plain[1][1]) / 2.0)
        before.append(abs(plain[0][0] - plain[1][0]) / scale)
        after.append(abs(weighted[0][0] - weighted[1][0]) / scale)
    return float(max(before)), float(max(after))


def effective_size(weight: np.ndarray, inverse: np.ndarray) -> float:
    """The number of equally weighted rows that would be worth as much."""
    product = weight * inverse
    return float(product.sum() ** 2 / np.sum(product**2))
