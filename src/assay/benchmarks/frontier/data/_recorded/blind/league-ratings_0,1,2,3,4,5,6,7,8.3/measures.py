"""How good forecasts were."""

import math


def surprise(chances, scores):
    """Mean surprise in bits, where a draw is half a win and half a loss.

    chances: forecasts for the home team. scores: 1, 0.5 or 0.
    """
    total = 0.0
    for chance, score in zip(chances, scores):
        chance = min(max(chance, 0.11), 0.89)
        total -= score * math.log2(chance) + (1 - score) * math.log2(1 - chance)
    return total / len(chances)


def unevenness(chances, scores):
    """How far mean scores are from mean forecasts, over groups of forecasts of equal size."""
    pairs = sorted(zip(chances, scores), key=lambda pair: pair[0])
    count = len(pairs)
    gaps = []
    for number in range(8):
        group = pairs[number * count // 8 : (number + 1) * count // 8]
        if group:
            gaps.append((len(group), sum(score - chance for chance, score in group) / len(group)))
    return math.sqrt(sum(size * gap**2 for size, gap in gaps) / count)
