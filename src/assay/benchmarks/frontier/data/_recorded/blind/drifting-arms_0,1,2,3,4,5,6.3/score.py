"""What is measured."""


def regret(means, arm, reward):
    """The regret of one round.

    means: the mean reward of each arm in this round.
    arm, reward: what was played, and what it gave.
    """
    top = max(means)
    scale = top - sum(means) / len(means)
    return (top - means[arm]) / scale if scale > 0 else 0.0


def area(curve):
    """The area under a curve of running totals, on a scale that does not depend on the number of rounds."""
    return sum(curve) / len(curve) ** 2
