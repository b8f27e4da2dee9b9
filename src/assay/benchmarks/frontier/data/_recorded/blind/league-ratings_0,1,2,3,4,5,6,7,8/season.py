"""What the summer changes."""


def carried(rating, mean, deviation):
    """Rating and deviation at the start of a season.

    rating, deviation: at the end of the season before. mean: the mean rating of the league then.
    """
    pull = deviation ** 2 / (deviation ** 2 + 150 ** 2)
    return rating + pull * (mean - rating), (deviation ** 2 + 40 ** 2) ** 0.5
