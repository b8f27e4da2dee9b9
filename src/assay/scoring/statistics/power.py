"""What difference between two agents a set of tasks can show, worked out before money is spent.

The design is paired: both agents try each of T tasks k times, and the verdict is McNemar's exact test over
the tasks on which one passes more often than the other. The power is exact, summed over the binomial. Tasks
are taken to be equally hard, which is the least helpful case: where both agents fail the same tasks, fewer
differ by chance alone, and a real difference shows sooner.
"""

from __future__ import annotations

from functools import cache

from assay.errors import UsageError
from assay.tasks.metric import Strict

RATES = (0.1, 0.3, 0.5)
NEGLIGIBLE = 1e-100
"""Chances below this count as none: they change no digit of a power, and scipy's binomial density overflows
for the smallest of them."""


class Visible(Strict):
    """The smallest gain over one rate that would be seen."""

    rate: float
    """What the weaker agent passes."""
    difference: float | None
    """The gain that is seen with the stated power; None where even passing everything would not be."""


class Power(Strict):
    """What a paired comparison on some tasks can show."""

    tasks: int
    """Tasks that both agents try."""
    attempts: int
    """Attempts that each agent makes at each task."""
    significance: float
    """The level of the test."""
    power: float
    """The chance to detect a difference of that size."""
    visible: list[Visible]
    """For several rates of the weaker agent, the smallest difference that can be detected."""


def power_of(
    tasks: int, attempts: int, rate: float, difference: float, *, significance: float = 0.05
) -> float:
    """The chance that McNemar's exact test sees a gain of `difference` over `rate`."""
    if tasks < 0 or attempts < 1 or not 0 <= rate <= rate + difference <= 1 + 1e-12:
        raise UsageError(
            f"{tasks} tasks, {attempts} attempts, rate {rate:g} and gain {difference:g} cannot be;"
            " expected rates within 0 and 1"
        )
    first_leads, second_leads = _lead(attempts, rate, min(1.0, rate + difference))
    return trinomial_power(tasks, second_leads, first_leads, significance=significance)


def trinomial_power(
    tasks: int, gain_chance: float, loss_chance: float, *, significance: float = 0.05
) -> float:
    """The power of the two-sided sign test where a task favours one side with these chances."""
    differing = gain_chance + loss_chance
    if tasks == 0 or differing < NEGLIGIBLE:
        return 0.0
    import numpy as np
    from scipy.stats import binom

    counts, critical = np.arange(tasks + 1), np.array(_critical(tasks, significance))
    tails = sum(binom.cdf(critical, counts, side / differing) for side in (gain_chance, loss_chance))
    return min(1.0, float((binom.pmf(counts, tasks, differing) * tails).sum()))


def visible_difference(
    tasks: int, attempts: int, rate: float, *, power: float = 0.8, significance: float = 0.05
) -> float | None:
    """The smallest gain over `rate` that is seen with this power; None where none is."""
    most = 1 - rate
    if power_of(tasks, attempts, rate, most, significance=significance) < power:
        return None
    from scipy.optimize import brentq

    def short(difference: float) -> float:
        return power_of(tasks, attempts, rate, difference, significance=significance) - power

    return float(brentq(short, 0.0, most, xtol=1e-4)) if short(0.0) < 0 else 0.0


def power_table(
    tasks: int,
    attempts: int,
    rates: tuple[float, ...] = RATES,
    *,
    power: float = 0.8,
    significance: float = 0.05,
) -> Power:
    """The visible difference over several rates of the weaker agent."""
    visible = [
        Visible(
            rate=rate,
            difference=visible_difference(tasks, attempts, rate, power=power, significance=significance),
        )
        for rate in rates
    ]
    return Power(tasks=tasks, attempts=attempts, significance=significance, power=power, visible=visible)


def _lead(attempts: int, first: float, second: float) -> tuple[float, float]:
    """The chances that the first, and that the second, passes more often in as many attempts."""
    import numpy as np
    from scipy.stats import binom

    first, second = (rate if rate >= NEGLIGIBLE else 0.0 for rate in (first, second))
    counts = np.arange(attempts + 1)
    first_odds, second_odds = binom.pmf(counts, attempts, first), binom.pmf(counts, attempts, second)
    joint = np.outer(first_odds, second_odds)
    return float(np.tril(joint, -1).sum()), float(np.triu(joint, 1).sum())


@cache
def _critical(tasks: int, significance: float) -> tuple[int, ...]:
    """For 0 to `tasks` differing tasks, the largest minority that is still significant; -1 where none is."""
    import numpy as np
    from scipy.stats import binom

    counts = np.arange(tasks + 1)
    guess = binom.ppf(significance / 2, counts, 0.5)
    # The quantile is the first count at or past the tail, so at most one step too far.
    too_far = 2 * binom.cdf(guess, counts, 0.5) > significance
    return tuple(int(count) for count in np.where(too_far, guess - 1, guess))
