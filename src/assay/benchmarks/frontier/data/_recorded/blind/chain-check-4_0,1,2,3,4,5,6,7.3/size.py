"""How many independent draws the chains are worth, and the error of their mean."""

import math

from mixing import mean, variance


def correlations(chains, farthest):
    """The autocorrelation at each lag from 0 on, over all chains."""
    lags = []
    middles = [mean(values) for values in chains]
    whole = mean([sum((v - m) ** 2 for v in values) / len(values) for values, m in zip(chains, middles)])
    for lag in range(farthest):
        parts = []
        for values, middle in zip(chains, middles):
            pairs = zip(values, values[lag:])
            parts.append(sum((one - middle) * (other - middle) for one, other in pairs) / len(values))
        lags.append(mean(parts) / whole)
    return lags


def lag_sum(lags):
    """The sum over lags that an effective size is divided by: 1 for independent draws.

    lags: the autocorrelations from lag 0 on.
    """
    total = 1.0
    for value in lags[1:]:
        if value < 0.05:
            break
        total += 2.0 * value
    return total


def effective_size(chains):
    """The effective number of draws of all chains together."""
    count = sum(len(values) for values in chains)
    return count / max(1.0, lag_sum(correlations(chains, 80)))


def batch_error(values):
    """The Monte Carlo error of the mean of one chain, from means of batches."""
    size = max(1, int(len(values) ** (2 / 3) + 1e-9))
    number = len(values) // size
    means = [mean(values[size * i:size * (i + 1)]) for i in range(number)]
    return math.sqrt(variance(means) / number)
