"""Alarms that ring when an arm has changed."""


def listen(level, surprise, count):
    """The level of an arm's alarm after one more surprise.

    level: a pair, for rises and for falls, as this function returned it; (0.0, 0.0) at the start.
    surprise: the reward minus the belief before it.
    count: the arm's faded number of plays before the reward.
    Returns the new pair.
    """
    heard = max(-0.5, min(0.5, surprise))
    return max(0.0, level[0] + heard - 0.09), max(0.0, level[1] - heard - 0.09)


def rings(level):
    """Whether the alarm rings at this level."""
    return max(level) > 1.6


def reduce_memory(totals, plays, arm):
    """The memory after the alarm of an arm.

    Returns two new lists.
    """
    totals, plays = list(totals), list(plays)
    totals[arm], plays[arm] = totals[arm] * 0.25, plays[arm] * 0.25
    return totals, plays
