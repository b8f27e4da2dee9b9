"""What a game changes."""

import math


def emphasis(margin, lead):
    """How much a game counts, where a draw counts 1.

    margin: the goals between the teams, 0 for a draw.
    lead: the rating of the winner minus that of the loser, before the game; 0 for a draw.
    """
    if margin == 0:
        return 1.0
    return margin**0.4354891 / (1 + 0.7889833e-3 * lead)


def step(deviation, other):
    """The points that a team would win by one full score more than expected.

    deviation: its own. other: that of its opponent.
    """
    return 29.51343 * deviation**2 / (deviation**2 + 0.2110938 * other**2 + 42.63941**2)


def sharpened(deviation, chance):
    """The deviation after a game.

    chance: the expected score of one of the teams.
    """
    return max(68.47249, 1 / math.sqrt(1 / deviation**2 + 0.7198214e-4 * chance * (1 - chance)))


def rested(deviation, days):
    """The deviation after days without a game."""
    if days <= 0:
        return deviation
    return min(103.5241, math.sqrt(deviation**2 + 10.99387**2 * days))
