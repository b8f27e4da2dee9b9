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
    order = sorted(range(len(chances)), key=lambda index: chances[index])
    total, count = 0.0, len(order)
    for group in range(8):
        part = order[group * count // 8 : (group + 1) * count // 8]
        if part:
            gap = sum(scores[index] - chances[index] for index in part) / len(part)
            total += len(part) * gap * gap
    return math.sqrt(total / count)
