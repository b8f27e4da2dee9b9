"""Partial credit: the share of a phase's items that are met, which the strict rule hides."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.scoring.logs.attempts import Attempt
from assay.scoring.scorecards.phase_ladder import STEPS
from assay.scoring.statistics.clusters import REPLICATES, SEED, Cell, cluster_of, draw
from assay.tasks.metric import Strict


class Credit(Strict):
    """The mean over attempts of the share of a phase's items that are met."""

    attempts: int
    """Attempts at tasks that ask for the phase."""
    known: int
    """Those with at least one item that is known: the denominator of `mean`."""
    items: int
    """Known items of those."""
    mean: float | None
    low: float | None
    high: float | None
    """The 95% interval of the mean: percentiles of a bootstrap over tasks; None where it would say ± 0, as
    for one task or where all came out alike."""
    bound_low: float | None
    bound_high: float | None
    """The mean over all attempts had every unknown item, and every lost attempt, been unmet, or met."""


def credit_of(letter: str, attempts: Sequence[Attempt]) -> Credit:
    """The partial credit of a phase over the attempts at tasks that ask for it."""
    counts = [_counts(letter, attempt) for attempt in attempts]
    known_shares = [
        (met / (met + unmet), attempt)
        for (met, unmet, _), attempt in zip(counts, attempts, strict=True)
        if met + unmet
    ]
    shares = [share for share, _ in known_shares]
    low, high = mean_interval(shares, [cluster_of(attempt) for _, attempt in known_shares])
    return Credit(
        attempts=len(attempts),
        known=len(known_shares),
        items=sum(met + unmet for met, unmet, _ in counts),
        mean=_mean(shares),
        low=low,
        high=high,
        bound_low=_mean([_bound(*item_counts, unknown_is=0) for item_counts in counts]),
        bound_high=_mean([_bound(*item_counts, unknown_is=1) for item_counts in counts]),
    )


def mean_interval(values: Sequence[float], clusters: Sequence[str]) -> tuple[float | None, float | None]:
    """The 95% interval of a mean when values of one cluster belong together; none where nothing varies."""
    if len(set(clusters)) < 2:
        return (None, None)
    import numpy as np

    draws = draw([Cell(cluster, 1, 0) for cluster in clusters], REPLICATES, SEED)
    means = (draws @ np.array(values)) / draws.sum(axis=1)
    low, high = (float(bound) for bound in np.quantile(means, [0.025, 0.975]))
    mean = math.fsum(values) / len(values)
    if math.isclose(low, high):
        return (None, None)
    return (min(low, mean), max(high, mean))


def _counts(letter: str, attempt: Attempt) -> tuple[int, int, int]:
    """Items met, unmet and unknown."""
    statuses = [verdict.status for verdict in attempt.verdicts if verdict.phase in STEPS[letter]]
    return statuses.count("met"), statuses.count("unmet"), statuses.count("unknown")


def _bound(met: int, unmet: int, unknown: int, *, unknown_is: int) -> float:
    items = met + unmet + unknown
    return (met + unknown_is * unknown) / items if items else float(unknown_is)


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
