"""What a game is expected to bring."""

import math


def damping(deviation, other):
    """The factor by which doubts about both ratings shrink their difference.

    deviation, other: the deviations of the two ratings.
    """
    return 1 / math.sqrt(1 + (deviation**2 + other**2) / 303.3839**2)


def expected(home, away, home_deviation, away_deviation):
    """The expected score of the home team, between 0 and 1."""
    gap = damping(home_deviation, away_deviation) * (home - away) + 47.73747
    return 1 / (1 + 10 ** (-gap / 400))
