"""What is measured."""


def regret(means, arm, reward):
    """The regret of one round.

    means: the mean reward of each arm in this round.
    arm, reward: what was played, and what it gave.
    """
    return (max(means) - means[arm]) ** 2


def area(curve):
    """The area under a curve of running totals, on a scale that does not depend on the number of rounds."""
    return sum(curve) / len(curve) ** 2
