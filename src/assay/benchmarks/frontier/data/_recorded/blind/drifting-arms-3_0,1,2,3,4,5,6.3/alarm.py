"""Alarms that ring when an arm has changed."""


def listen(level, surprise, count):
    """The level of an arm's alarm after one more surprise.

    level: a pair, for rises and for falls, as this function returned it; (0.0, 0.0) at the start.
    surprise: the reward minus the opinion before it.
    count: the arm's faded number of plays before the reward.
    Returns the new pair.
    """
    up, down = level
    up = max(0.0, up + surprise - 0.12) if surprise > 0 else 0.0
    down = max(0.0, down - surprise - 0.12) if surprise < 0 else 0.0
    return up, down


def rings(level):
    """Whether the alarm rings at this level."""
    return max(level) > 1.9


def trim(totals, plays, arm):
    """The memory after the alarm of an arm.

    Returns two new lists.
    """
    totals, plays = list(totals), list(plays)
    totals[arm] *= 0.25
    plays[arm] *= 0.25
    return totals, plays
