"""How good forecasts were."""

import math


def surprise(chances, scores):
    """Mean surprise in bits, where a draw is half a win and half a loss.

    chances: forecasts for the home team. scores: 1, 0.5 or 0.
    """
    total = 0.0
    for chance, score in zip(chances, scores):
        chance = min(max(chance, 0.01), 0.99)
        total -= score * math.log2(chance) + (1 - score) * math.log2(1 - chance)
    return total / len(chances)


def unevenness(chances, scores):
    """How far mean scores are from mean forecasts, over groups of forecasts of equal size."""
    pairs = sorted(zip(chances, scores), key=lambda pair: pair[0])
    size = math.ceil(len(pairs) / 8)
    groups = [pairs[i:i + size] for i in range(0, len(pairs), size)]
    return math.sqrt(sum((sum(c - s for c, s in g) / len(g)) ** 2 for g in groups) / len(groups))
