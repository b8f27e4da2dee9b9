"""How many attempts at one challenge tell the scores of two agents apart, worked out before money is spent.

Both agents make k attempts each, and the verdict is a two-sided t-test with equal spread. Both are scored
on the same hidden items, so the choice of the items adds no noise. Not covered: whether the difference would
show on other items, too. `shown_elsewhere` says how large it must be for that.
"""

from __future__ import annotations

import math

from assay.errors import UsageError

MOST_ATTEMPTS = 1000
"""More attempts than this count as too many."""


def score_power(attempts: int, difference: float, spread: float, *, significance: float = 0.05) -> float:
    """The chance that k attempts of each agent show a difference between their mean scores.

    `spread` is the standard deviation of one agent's scores over its attempts.
    """
    if attempts < 2 or spread < 0 or not 0 < significance < 1:
        raise UsageError(
            f"{attempts} attempts with spread {spread:g} at level {significance:g} cannot be;"
            " expected at least 2 attempts, a spread of at least 0 and a level between 0 and 1"
        )
    if spread == 0:
        return float(difference != 0)
    from scipy.stats import nct, t

    freedom = 2 * attempts - 2
    shift = abs(difference) / (spread * math.sqrt(2 / attempts))
    limit = t.ppf(1 - significance / 2, freedom)
    # The other tail is a difference in the wrong direction; the density is not exact far outside.
    return (
        1.0 if shift > limit + 30 else float(nct.sf(limit, freedom, shift) + nct.cdf(-limit, freedom, shift))
    )


def attempts_needed(
    difference: float, spread: float, *, power: float = 0.8, significance: float = 0.05
) -> int | None:
    """The fewest attempts of each agent that show the difference with this power; None above the limit."""
    for attempts in range(2, MOST_ATTEMPTS + 1):
        if score_power(attempts, difference, spread, significance=significance) >= power:
            return attempts
    return None


def shown_elsewhere(standard_error: float, *, power: float = 0.8, significance: float = 0.05) -> float:
    """The smallest difference that would also show on another choice of items, however many the attempts.

    It takes the errors of the two scores as independent. On the same items they are not, so this is an upper
    bound.
    """
    from scipy.stats import norm

    return float((norm.ppf(1 - significance / 2) + norm.ppf(power)) * math.sqrt(2) * standard_error)
