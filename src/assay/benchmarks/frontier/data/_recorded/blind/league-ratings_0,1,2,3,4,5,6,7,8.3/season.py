"""What the summer changes."""

import math


def carried(rating, mean, deviation):
    """Rating and deviation at the start of a season.

    rating, deviation: at the end of the season before. mean: the mean rating of the league then.
    """
    pull = 0.32980050 / 2 * (deviation / 75) ** 0.5256619
    return mean + (1 - pull) * (rating - mean), min(103.5241, math.sqrt(deviation**2 + 18.10477**2))
