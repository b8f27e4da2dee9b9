"""What the summer changes."""


def carried(rating, mean, deviation):
    """Rating and deviation at the start of a season.

    rating, deviation: at the end of the season before. mean: the mean rating of the league then.
    """
    share = 0.3 * deviation / (deviation + 60.0)
    return rating + share * (mean - rating), deviation + 22.0
