"""What the player remembers of each arm."""


def fade(totals, plays, arm, reward, decay):
    """The totals and the numbers of plays after one more reward.

    totals, plays: one number for each arm, before this round.
    arm: the arm that was played.
    reward: what it gave.
    decay: between 0 and 1.
    Returns two new lists.
    """
    both = []
    for values, gain in ((totals, reward), (plays, 1.0)):
        both.append([decay * old + gain if number == arm else old * decay**0.25 for number, old in enumerate(values)])
    return both[0], both[1]


def estimate(total, count):
    """The estimated mean reward of an arm.

    total, count: its faded total of rewards and faded number of plays.
    """
    return (total + 0.5 * 0.8) / (count + 0.8)
