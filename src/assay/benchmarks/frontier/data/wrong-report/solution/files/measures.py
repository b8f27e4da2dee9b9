"""Measures of one case. Each docstring is the definition that users rely on."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence


def area(scores: Sequence[float], labels: Sequence[int]) -> float:
    """The share of pairs (a row with label 1, a row with label 0) in which the first has the higher score.

    A pair with equal scores counts one half.
    """
    order = sorted(range(len(scores)), key=lambda row: scores[row])
    ranks = [0.0] * len(scores)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and scores[order[end + 1]] == scores[order[start]]:
            end += 1
        for place in range(start, end + 1):
            ranks[order[place]] = (start + end) / 2 + 1
        start = end + 1
    ones = sum(labels)
    zeros = len(labels) - ones
    total = sum(rank for rank, label in zip(ranks, labels, strict=True) if label == 1)
    return (total - ones * (ones + 1) / 2) / (ones * zeros)


def average_precision(scores: Sequence[float], labels: Sequence[int]) -> float:
    """The sum over thresholds of (recall there - recall before) x precision there, from the highest score down.

    Every distinct score is one threshold: rows with equal scores enter together.
    """
    found = seen = 0
    before = total = 0.0
    ones = sum(labels)
    for threshold in sorted(set(scores), reverse=True):
        inside = [label for score, label in zip(scores, labels, strict=True) if score == threshold]
        found += sum(inside)
        seen += len(inside)
        total += (found / ones - before) * (found / seen)
        before = found / ones
    return total


def calibration_error(scores: Sequence[float], labels: Sequence[int], bins: int = 10) -> float:
    """The mean over rows of |mean score - share of label 1| in the row's bin.

    The bins are [0, 1/bins], (1/bins, 2/bins], ..., each but the first without its lower edge.
    """
    members: dict[int, list[int]] = {}
    for row, score in enumerate(scores):
        number = max(math.ceil(round(score * bins, 9)) - 1, 0)
        members.setdefault(number, []).append(row)
    total = 0.0
    for rows in members.values():
        middle = sum(scores[row] for row in rows) / len(rows)
        share = sum(labels[row] for row in rows) / len(rows)
        total += len(rows) * abs(middle - share)
    return total / len(scores)


def macro_f1(guesses: Sequence[str], truths: Sequence[str]) -> float:
    """The mean F1 over all classes that occur among the guesses or among the truths.

    F1 is 2 x hits / (guesses of the class + truths of the class).
    """
    classes = sorted(set(truths) | set(guesses))
    total = 0.0
    for name in classes:
        hits = sum(guess == truth == name for guess, truth in zip(guesses, truths, strict=True))
        total += 2 * hits / (guesses.count(name) + truths.count(name))
    return total / len(classes)


def discounted_gain(scores: Sequence[float], relevance: Sequence[int], depth: int = 10) -> float:
    """The discounted gain of the first `depth` rows by score, divided by the best that all rows allow.

    A row at rank r (from 1) gains (2 ** relevance - 1) / log2(r + 1). Equal scores keep the order of the rows.
    """
    order = sorted(range(len(scores)), key=lambda row: -scores[row])
    gains = [2 ** relevance[row] - 1 for row in order[:depth]]
    best = [2**value - 1 for value in sorted(relevance, reverse=True)[:depth]]
    actual = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
    ideal = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(best, 1))
    return actual / ideal if ideal else 0.0


def weighted_quantile(values: Sequence[float], weights: Sequence[float], level: float) -> float:
    """The smallest value at which the weights of all values up to it reach `level` of all weights."""
    pairs = sorted(zip(values, weights, strict=True))
    goal = level * sum(weights) - 1e-9
    reached = 0.0
    for value, weight in pairs:
        reached += weight
        if reached >= goal:
            return value
    return pairs[-1][0]


def rank_agreement(first: Sequence[float], second: Sequence[float]) -> float:
    """Kendall's tau-b: (concordant - discordant) / sqrt(pairs not tied in first x pairs not tied in second)."""
    difference = untied_first = untied_second = 0
    for one in range(len(first)):
        for other in range(one):
            a = (first[one] > first[other]) - (first[one] < first[other])
            b = (second[one] > second[other]) - (second[one] < second[other])
            difference += a * b
            untied_first += a != 0
            untied_second += b != 0
    return difference / math.sqrt(untied_first * untied_second)


def trimmed_mean(values: Sequence[float], share: float = 0.1) -> float:
    """The mean without the floor(share x count) lowest and as many highest values."""
    cut = math.floor(share * len(values) + 1e-9)
    kept = sorted(values)[cut : len(values) - cut]
    return sum(kept) / len(kept)


def interval_width(values: Sequence[float], groups: Sequence[str], seed: int, draws: int = 400) -> float:
    """The width of the 90% bootstrap interval of the mean of all rows, where groups are drawn, not rows.

    Each draw takes as many groups as there are, with replacement, with all their rows; its mean is over these rows.
    The ends are the 5% and the 95% quantile of the draws, each with weight 1, as `weighted_quantile` defines them.
    """
    source = random.Random(seed)
    members: dict[str, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        members.setdefault(group, []).append(value)
    names = sorted(members)
    means = []
    for _ in range(draws):
        rows = [value for name in source.choices(names, k=len(names)) for value in members[name]]
        means.append(sum(rows) / len(rows))
    ones = [1.0] * draws
    return weighted_quantile(means, ones, 0.95) - weighted_quantile(means, ones, 0.05)
