"""Alarms that ring when an arm has changed."""


def listen(level, surprise, count):
    """The level of an arm's alarm after one more surprise.

    level: a pair, for rises and for falls, as this function returned it; (0.0, 0.0) at the start.
    surprise: the reward minus the estimate before it.
    count: the arm's faded number of plays before the reward.
    Returns the new pair.
    """
    share = count / (count + 3.0)
    return max(0.0, level[0] + share * surprise - 0.08), max(0.0, level[1] - share * surprise - 0.08)


def rings(level):
    """Whether the alarm rings at this level."""
    return max(level) > 1.1


def reduce_memory(totals, plays, arm):
    """The memory after the alarm of an arm.

    Returns two new lists.
    """
    rates = [0.1 if number == arm else 0.7 for number in range(len(totals))]
    return [total * rate for total, rate in zip(totals, rates)], [count * rate for count, rate in zip(plays, rates)]
