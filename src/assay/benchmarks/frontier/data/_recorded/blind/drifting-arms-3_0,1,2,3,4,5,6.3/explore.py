"""How the player chooses."""

import math

from memory import opinion


def margin(count, plays):
    """How much may be hoped for beyond the opinion.

    count: the faded number of plays of this arm.
    plays: those of all arms.
    """
    return 0.34 * math.sqrt(math.log(1.0 + sum(plays) / (count + 1.0)) / (count + 1.0))


def indices(totals, plays):
    """The index of each arm."""
    return [opinion(total, count) + margin(count, plays) for total, count in zip(totals, plays)]


def best(values, recent):
    """Which arm to play.

    values: the index of each arm.
    recent: for each arm, the last round in which it was played, -1 for never.
    Returns the number of the arm.
    """
    return max(range(len(values)), key=lambda arm: (values[arm], -recent[arm], arm))
