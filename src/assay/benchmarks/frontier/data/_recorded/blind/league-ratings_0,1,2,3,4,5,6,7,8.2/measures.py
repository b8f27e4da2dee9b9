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
    return total / len(chances)


def unevenness(chances, scores):
    """How far mean scores are from mean forecasts, over groups of forecasts of equal size."""
    order = sorted(range(len(chances)), key=lambda game: chances[game])
    total = 0.0
    for group in range(8):
        part = order[group * len(order) // 8 : (group + 1) * len(order) // 8]
        if part:
            gap = sum(chances[game] for game in part) / len(part) - sum(scores[game] for game in part) / len(part)
            total += len(part) * gap**2
    return math.sqrt(total / len(order))
