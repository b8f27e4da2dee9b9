"""What a game changes."""

import math


def emphasis(margin, lead):
    """How much a game counts, where a draw counts 1.

    margin: the goals between the teams, 0 for a draw.
    lead: the rating of the winner minus that of the loser, before the game; 0 for a draw.
    """
    if margin == 0:
        return 1.0
    return math.log(margin + 1.6) * 1.9 / (1.9 + 0.0015 * lead)


def step(deviation, other):
    """The points that a team would win by one full score more than expected.

    deviation: its own. other: that of its opponent.
    """
    return 46.0 * deviation**2 / (deviation**2 + 0.5 * other**2 + 70.0**2)


def sharpened(deviation, chance):
    """The deviation after a game.

    chance: the expected score of one of the teams.
    """
    return max(71.0, 1 / math.sqrt(1 / deviation**2 + 4 * chance * (1 - chance) / 310.0**2))


def rested(deviation, days):
    """The deviation after days without a game."""
    return min(96.0, math.sqrt(deviation**2 + 7.5**2 * days))
