"""How good forecasts were."""

import math


def surprise(chances, scores):
    """Mean surprise in bits, where a draw is half a win and half a loss.

    chances: forecasts for the home team. scores: 1, 0.5 or 0.
    """
    total = 0.0
    for chance, score in zip(chances, scores):
        chance = min(0.86, max(0.14, chance))
        total -= score * math.log2(chance) + (1 - score) * math.log2(1 - chance)
    return total / len(scores)


def unevenness(chances, scores):
    """How far mean scores are from mean forecasts, over groups of forecasts of equal size."""
    order = sorted(range(len(chances)), key=lambda number: chances[number])
    total = 0.0
    for group in range(8):
        members = order[group * len(order) // 8 : (group + 1) * len(order) // 8]
        gap = sum(chances[number] - scores[number] for number in members) / len(members)
        total += len(members) / len(order) * gap**2
    return math.sqrt(total)
