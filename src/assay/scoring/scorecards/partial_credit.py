"""Partial credit: the share of a phase's items that are met, which the strict rule hides.

Unknown items stay in the denominator. `mean` counts them as not met, `bound_high` as met; the truth lies
between. EXP-Bench's own number, over the attempts that were judged in full, stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.scoring.scorecards.phase_items import PhasedAttempt
from assay.scoring.statistics.clusters import (
    REPLICATES,
    SEED,
    cluster_of,
    cluster_sums,
    draw_clusters,
)
from assay.tasks.metric import Strict


class Credit(Strict):
    """The mean over attempts of the share of a phase's items that are met."""

    attempts: int
    """Attempts at tasks that ask for the phase: the denominator of `mean`."""
    known: int
    """Those with at least one item that is known."""
    items: int
    """All items of the phase in those attempts, known or not."""
    unknown: int
    """How many of the items are unknown."""
    mean: float | None
    """An unknown item, and every item of a lost attempt, counts as not met."""
    low: float | None
    high: float | None
    """The 95% interval of the mean: percentiles of a bootstrap over tasks; None where it would say ± 0, as
    for one task or where all came out alike."""
    bound_low: float | None
    bound_high: float | None
    """The mean if every unknown item were unmet, which is `mean`, or met."""
    judged: int
    """Attempts that EXP-Bench would divide by: they ended in time, no item of the phase is unknown, and
    integrity has a verdict."""
    mean_judged: float | None
    """As EXP-Bench counts D and I: the mean over the judged attempts, 0 where integrity is not met."""


def credit_of(letter: str, attempts: Sequence[PhasedAttempt]) -> Credit:
    """The partial credit of a phase over the attempts at tasks that ask for it."""
    counts = [attempt.counts(letter) for attempt in attempts]
    shares = [count.lowest for count in counts]
    low, high = mean_interval(shares, [cluster_of(attempt.attempt) for attempt in attempts])
    judged = [
        attempt
        for attempt, count in zip(attempts, counts, strict=True)
        if attempt.is_judged(f"M·{letter}") and not count.unknown
    ]
    mean = _mean(shares)
    return Credit(
        attempts=len(attempts),
        known=sum(count.met + count.unmet > 0 for count in counts),
        items=sum(sum(count) for count in counts),
        unknown=sum(count.unknown for count in counts),
        mean=mean,
        low=low,
        high=high,
        bound_low=mean,
        bound_high=_mean([count.highest for count in counts]),
        judged=len(judged),
        mean_judged=_mean(
            [attempt.counts(letter).lowest if attempt.is_met("M") else 0.0 for attempt in judged]
        ),
    )


def mean_interval(values: Sequence[float], clusters: Sequence[str]) -> tuple[float | None, float | None]:
    """The 95% interval of a mean when values of one cluster belong together; none where nothing varies."""
    if len(set(clusters)) < 2 or len(set(values)) < 2:
        return (None, None)
    import numpy as np

    sums, sizes = cluster_sums(values, clusters)
    draws = draw_clusters(len(sums), REPLICATES, SEED)
    means = (draws @ sums) / (draws @ sizes)
    low, high = (float(bound) for bound in np.quantile(means, [0.025, 0.975]))
    mean = math.fsum(values) / len(values)
    if math.isclose(low, high):
        return (None, None)
    return (min(low, mean), max(high, mean))


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
