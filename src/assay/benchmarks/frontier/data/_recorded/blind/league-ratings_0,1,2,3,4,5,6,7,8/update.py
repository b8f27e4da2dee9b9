"""What a game changes."""

import math


def emphasis(margin, lead):
    """How much a game counts, where a draw counts 1.

    margin: the goals between the teams, 0 for a draw.
    lead: the rating of the winner minus that of the loser, before the game; 0 for a draw.
    """
    if not margin:
        return 1.0
    return (1 + margin) ** 0.73 * 2400 / (2400 + lead)


def step(deviation, other):
    """The points that a team would win by one full score more than expected.

    deviation: its own. other: that of its opponent.
    """
    return 14.56 * deviation ** 2 / (deviation ** 2 + 0.11 * other ** 2 + 22 ** 2)


def sharpened(deviation, chance):
    """The deviation after a game.

    chance: the expected score of one of the teams.
    """
    return max(50.0, deviation * (1 - 0.5458 * chance * (1 - chance)))


def rested(deviation, days):
    """The deviation after days without a game."""
    return min(150.0, deviation + 2.008 * days)
