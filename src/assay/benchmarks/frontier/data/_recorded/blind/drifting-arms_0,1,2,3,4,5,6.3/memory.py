"""What the player remembers of each arm."""


def fade(totals, plays, arm, reward, decay):
    """The totals and the numbers of plays after one more reward.

    totals, plays: one number for each arm, before this round.
    arm: the arm that was played.
    reward: what it gave.
    decay: between 0 and 1.
    Returns two new lists.
    """
    slow = decay ** 0.25
    new_totals = [total * (decay if number == arm else slow) for number, total in enumerate(totals)]
    new_plays = [count * (decay if number == arm else slow) for number, count in enumerate(plays)]
    new_totals[arm] += reward
    new_plays[arm] += 1.0
    return new_totals, new_plays


def estimate(total, count):
    """The estimated mean reward of an arm.

    total, count: its faded total of rewards and faded number of plays.
    """
    return (total + 0.8 * 0.5) / (count + 0.8)
