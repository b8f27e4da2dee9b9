"""What the player remembers of each arm."""


def fade(totals, plays, arm, reward, decay):
    """The totals and the numbers of plays after one more reward.

    totals, plays: one number for each arm, before this round.
    arm: the arm that was played.
    reward: what it gave.
    decay: between 0 and 1.
    Returns two new lists.
    """
    factors = [decay if number == arm else decay**0.25 for number in range(len(totals))]
    totals = [factor * total for factor, total in zip(factors, totals)]
    plays = [factor * count for factor, count in zip(factors, plays)]
    totals[arm] += reward
    plays[arm] += 1.0
    return totals, plays


def estimate(total, count):
    """The estimated mean reward of an arm.

    total, count: its faded total of rewards and faded number of plays.
    """
    return (total + 0.8 * 0.5) / (count + 0.8)
