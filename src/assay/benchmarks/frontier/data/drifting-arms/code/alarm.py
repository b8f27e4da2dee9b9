"""Alarms that ring when an arm has changed."""


def listen(level, surprise, count):
    """The level of an arm's alarm after one more surprise.

    level: a pair, for rises and for falls, as this function returned it; (0.0, 0.0) at the start.
    surprise: the reward minus the estimate before it.
    count: the arm's faded number of plays before the reward.
    Returns the new pair.
    """
    heard = max(-0.5, min(0.5, surprise))
    return max(0.0, level[0] + heard - 0.09), max(0.0, level[1] - heard - 0.09)


def rings(level):
    """Whether the alarm rings at this level."""
    return max(level) > 1.9


def trim(totals, plays, arm):
    """The memory after the alarm of an arm.

    Returns two new lists.
    """
    totals, plays = list(totals), list(plays)
    share = 2.0 / plays[arm]
    totals[arm], plays[arm] = totals[arm] * share, plays[arm] * share
    return totals, plays
