"""What a game changes."""

import math

FLOOR, CEILING = 75.0, 130.0


def emphasis(margin, lead):
    """How much a game counts, where a draw counts 1.

    margin: the goals between the teams, 0 for a draw.
    lead: the rating of the winner minus that of the loser, before the game; 0 for a draw.
    """
    if margin == 0:
        return 1.0
    return (0.81576 + 0.57869 * math.log(margin)) / (1 + max(lead, -1000) * 0.00062028)


def step(deviation, other):
    """The points that a team would win by one full score more than expected.

    deviation: its own. other: that of its opponent.
    """
    return 30.465 * deviation**2 / (deviation**2 + 0.1284 * other**2 + 42.063**2)


def sharpened(deviation, chance):
    """The deviation after a game.

    chance: the expected score of one of the teams.
    """
    return max(FLOOR, 1 / math.sqrt(1 / deviation**2 + chance * (1 - chance) / 111.52**2))


def rested(deviation, days):
    """The deviation after days without a game."""
    return min(CEILING, math.sqrt(deviation**2 + 4.7326**2 * days))
