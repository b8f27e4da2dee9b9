"""What a game is expected to bring."""

import math


def damping(deviation, other):
    """The factor by which doubts about both ratings shrink their difference.

    deviation, other: the deviations of the two ratings.
    """
    q = math.log(10) / 400
    return 1 / math.sqrt(1 + 3 * q * q * (deviation ** 2 + other ** 2) / math.pi ** 2)


def expected(home, away, home_deviation, away_deviation):
    """The expected score of the home team, between 0 and 1."""
    difference = damping(home_deviation, away_deviation) * (home - away + 52)
    return 1 / (1 + 10 ** (-difference / 400))
