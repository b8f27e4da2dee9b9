"""What the summer changes."""

PULL, GROWTH = 0.4, 50.0


def carried(rating, mean, deviation):
    """Rating and deviation at the start of a season.

    rating, deviation: at the end of the season before. mean: the mean rating of the league then.
    """
    share = PULL * deviation / 110
    return rating + share * (mean - rating), min(130.0, (deviation**2 + GROWTH**2) ** 0.5)
