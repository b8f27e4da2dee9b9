"""Standard errors and intervals, all replicates at once."""

import math

import numpy as np


def _sums(values, cluster, labels):
    places = np.searchsorted(labels, cluster)
    return np.bincount(places, weights=values, minlength=len(labels))


def standard_error(influence, weight, cluster, labels):
    sums = _sums(weight * influence, cluster, labels)
    count = len(set(cluster.tolist()))
    return math.sqrt(count / (count - 1) * (sums @ sums)) / weight.sum()


def bootstrap_ratios(influence, weight, cluster, labels, seed, replicates):
    sums = _sums(weight * influence, cluster, labels)
    totals = _sums(weight, cluster, labels)
    draws = np.array(
        [np.random.default_rng([seed, 7, b + 1]).exponential(size=len(labels)) for b in range(replicates)]
    )
    shift = (draws @ sums) / (draws @ totals)
    spread = np.linalg.norm(draws * (sums[None] - shift[:, None] * totals[None]), axis=1) / (draws @ totals)
    return np.sort(shift / spread)


def interval(value, error, ratios, alpha):
    place = int(alpha / 2 * (len(ratios) + 1) + 0.5)
    return float(value - ratios[-place] * error), float(value - ratios[place - 1] * error)


def upper_tail(ratio):
    return math.erfc(ratio / 2**0.5) / 2


def surprise(value, error):
    return -math.log(math.erfc(abs(value) / error / 2**0.5)) / math.log(2)
