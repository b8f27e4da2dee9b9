"""What the player remembers of each arm."""


def fade(totals, plays, arm, reward, decay):
    """The totals and the numbers of plays after one more reward.

    totals, plays: one number for each arm, before this round.
    arm: the arm that was played.
    reward: what it gave.
    decay: between 0 and 1.
    Returns two new lists.
    """
    totals, plays = list(totals), list(plays)
    totals[arm] = decay * totals[arm] + reward
    plays[arm] = decay * plays[arm] + 1.0
    return totals, plays


def estimate(total, count):
    """The estimated mean reward of an arm.

    total, count: its faded total of rewards and faded number of plays.
    """
    return (total + PULL * NEUTRAL) / (count + PULL)


NEUTRAL = 0.5
PULL = 0.66227416
