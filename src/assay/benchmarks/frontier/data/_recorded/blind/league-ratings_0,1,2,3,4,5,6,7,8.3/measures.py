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
    games = sorted(zip(chances, scores), key=lambda game: game[0])
    count, total = len(games), 0.0
    for group in range(8):
        part = games[group * count // 8 : (group + 1) * count // 8]
        if part:
            gap = sum(chance - score for chance, score in part) / len(part)
            total += len(part) * gap * gap
    return math.sqrt(total / count)
