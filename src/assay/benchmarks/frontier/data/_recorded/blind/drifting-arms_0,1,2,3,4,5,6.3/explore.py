"""How the player chooses."""

import math

from memory import estimate


def margin(count, plays):
    """How much may be hoped for beyond the estimate.

    count: the faded number of plays of this arm.
    plays: those of all arms.
    """
    return 0.19623329 * math.log(2.0 + sum(plays)) / (count + 0.75) ** 0.75


def indices(totals, plays):
    """The index of each arm."""
    return [estimate(total, count) + margin(count, plays) for total, count in zip(totals, plays)]


def best(values, recent):
    """Which arm to play.

    values: the index of each arm.
    recent: for each arm, the last round in which it was played, -1 for never.
    Returns the number of the arm.
    """
    top = max(values)
    near = [arm for arm, value in enumerate(values) if value >= top - 0.005]
    return max(near, key=lambda arm: (-recent[arm], arm))
