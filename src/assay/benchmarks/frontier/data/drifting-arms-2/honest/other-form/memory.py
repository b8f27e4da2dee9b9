"""What the player remembers of each arm."""


def take_in(totals, plays, arm, reward, decay):
    """The totals and the numbers of plays after one more reward.

    totals, plays: one number for each arm, before this round.
    arm: the arm that was played.
    reward: what it gave.
    decay: between 0 and 1.
    Returns two new lists.
    """
    kept = [1.0] * len(totals)
    kept[arm] = decay
    gain = [float(number == arm) for number in range(len(totals))]
    return (
        [old * keep + new * reward for old, keep, new in zip(totals, kept, gain)],
        [old * keep + new for old, keep, new in zip(plays, kept, gain)],
    )


def estimate(total, count):
    """The estimated mean reward of an arm.

    total, count: its faded total of rewards and faded number of plays.
    """
    return (total + 0.5 * 0.8) / (count + 0.8)
