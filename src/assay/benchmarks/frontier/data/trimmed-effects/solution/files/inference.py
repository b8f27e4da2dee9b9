"""Standard errors and intervals that respect clusters."""

from __future__ import annotations

import math

import numpy as np

BOOTSTRAP = 7


def cluster_sums(values: np.ndarray, cluster: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The sum over each cluster of `labels`; zero for a cluster without rows."""
    return np.array([values[cluster == label].sum() for label in labels])


def standard_error(
    influence: np.ndarray, weight: np.ndarray, cluster: np.ndarray, labels: np.ndarray
) -> float:
    """The clustered standard error of an estimate."""
    sums = cluster_sums(weight * influence, cluster, labels)
    count = int(np.isin(labels, cluster).sum())
    factor = count / (count - 1)
    return math.sqrt(factor * float(np.sum(sums**2))) / float(weight.sum())


def bootstrap_ratios(
    influence: np.ndarray,
    weight: np.ndarray,
    cluster: np.ndarray,
    labels: np.ndarray,
    seed: int,
    replicates: int,
) -> np.ndarray:
    """The studentised deviation of each replicate, sorted."""
    sums = cluster_sums(weight * influence, cluster, labels)
    totals = cluster_sums(weight, cluster, labels)
    ratios = []
    for replicate in range(1, replicates + 1):
        source = np.random.default_rng([seed, BOOTSTRAP, replicate])
        multipliers = source.exponential(size=len(labels))
        size = float(multipliers @ totals)
        shift = float(multipliers @ sums) / size
        error = math.sqrt(float(np.sum((multipliers * (sums - shift * totals)) ** 2))) / size
        ratios.append(shift / error)
    return np.sort(np.array(ratios))


def interval(value: float, error: float, ratios: np.ndarray, alpha: float) -> tuple[float, float]:
    """The interval of an estimate from sorted ratios."""
    place = round(alpha / 2.0 * (len(ratios) + 1))
    low, high = float(ratios[place - 1]), float(ratios[len(ratios) - place])
    return value - high * error, value - low * error


def upper_tail(ratio: float) -> float:
    """The probability that a standard normal number exceeds this one."""
    return 0.5 * math.erfc(ratio / math.sqrt(2.0))


def surprise(value: float, error: float) -> float:
    """The bits of information against an effect of zero."""
    return -math.log2(2.0 * upper_tail(abs(value) / error))
