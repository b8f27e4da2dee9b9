"""How the player chooses."""

import math

from memory import opinion


def margin(count, plays):
    """How much may be hoped for beyond the opinion.

    count: the faded number of plays of this arm.
    plays: those of all arms.
    """
    return 0.2504651871 * math.log(1 + sum(plays)) ** 0.6124166849 / (count + 0.5589578978) ** 0.6428403316


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
