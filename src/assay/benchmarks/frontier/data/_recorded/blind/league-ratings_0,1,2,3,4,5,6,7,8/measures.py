"""How good forecasts were."""

import math


def surprise(chances, scores):
    """Mean surprise in bits, where a draw is half a win and half a loss.

    chances: forecasts for the home team. scores: 1, 0.5 or 0.
    """
    total = 0.0
    for chance, score in zip(chances, scores):
        chance = min(max(chance, 0.14), 0.86)
        total -= score * math.log2(chance) + (1 - score) * math.log2(1 - chance)
    return total / len(chances)


def unevenness(chances, scores):
    """How far mean scores are from mean forecasts, over groups of forecasts of equal size."""
    pairs = sorted(zip(chances, scores), key=lambda pair: pair[0])
    count, total = len(pairs), 0.0
    for group in range(8):
        part = pairs[group * count // 8 : (group + 1) * count // 8]
        if part:
            total += (sum(chance for chance, _ in part) - sum(score for _, score in part)) ** 2 / len(part)
    return math.sqrt(total / count)
