"""Two agents on the same tasks: what differs, task by task, and what that can be worth.

The tests ask about these very tasks: were the two agents the same on each of them, swapping their labels task
by task would change nothing. The interval asks about other papers of the same kind, and is clustered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from assay.errors import UsageError
from assay.scoring.statistics.clusters import REPLICATES, SEED, Cell, draw
from assay.scoring.statistics.rates import interval

PERMUTATIONS = 2**15
_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Pair:
    """One task that both agents tried: scored attempts, and those that passed."""

    cluster: str
    first_scored: int
    first_passed: int
    second_scored: int
    second_passed: int

    @property
    def gain(self) -> float:
        """What the second agent's rate is above the first's."""
        return self.second_passed / self.second_scored - self.first_passed / self.first_scored


def mcnemar(first_only: int, second_only: int) -> float:
    """McNemar's exact two-sided p: a sign test over the tasks on which the two differ; 1 where none does."""
    if min(first_only, second_only) < 0:
        raise UsageError(f"{first_only} and {second_only} tasks cannot be counted; expected 0 or more")
    from scipy.stats import binomtest

    differing = first_only + second_only
    return float(binomtest(first_only, differing).pvalue) if differing else 1.0


def permutation(first: Sequence[float], second: Sequence[float], *, seed: int = SEED) -> float | None:
    """The two-sided p of the mean difference under swapping labels task by task; None for no tasks.

    Up to 15 tasks all swaps are tried; for more, 32,768 are drawn.
    """
    if len(first) != len(second):
        raise UsageError(f"{len(first)} and {len(second)} scores are not paired; expected as many of each")
    if not first:
        return None
    if len(first) == 1 or list(first) == list(second):
        return 1.0
    import numpy as np
    from scipy.stats import permutation_test

    gains = np.asarray(second, dtype=float) - np.asarray(first, dtype=float)
    test = permutation_test(
        (gains,),
        lambda values, axis: values.mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=PERMUTATIONS,
        batch=max(1, _AT_ONCE // len(gains)),
        rng=np.random.default_rng(seed),
    )
    return float(test.pvalue)


def difference_interval(
    pairs: Sequence[Pair], *, replicates: int = REPLICATES, seed: int = SEED
) -> tuple[float | None, float | None]:
    """The 95% interval of the mean gain: percentiles of a bootstrap over papers and attempts.

    Where every task shows the same gain a bootstrap would say ± 0; instead, a paper that differs is taken to
    be as likely as Wilson's upper bound for none seen. One paper alone gives no interval.
    """
    clusters = len({pair.cluster for pair in pairs})
    if clusters < 2:
        return (None, None)
    gains = [pair.gain for pair in pairs]
    if len(set(gains)) == 1 and all(_settled(pair) for pair in pairs):
        unseen = interval(0, clusters)[1] or 0.0
        return (gains[0] - unseen * (gains[0] + 1), gains[0] + unseen * (1 - gains[0]))
    import numpy as np

    draws = draw([Cell(pair.cluster, 1, 0) for pair in pairs], replicates, seed)
    generator = np.random.default_rng((seed, 2))
    total = np.zeros(replicates)
    for scored, passed, sign in (
        ([pair.second_scored for pair in pairs], [pair.second_passed for pair in pairs], 1),
        ([pair.first_scored for pair in pairs], [pair.first_passed for pair in pairs], -1),
    ):
        passed_counts = generator.binomial(draws * np.array(scored), np.array(passed) / np.array(scored))
        total += sign * (passed_counts / np.array(scored)).sum(axis=1)
    means = total / draws.sum(axis=1)
    mean = float(np.mean(gains))
    low, high = (float(bound) for bound in np.quantile(means, [0.025, 0.975]))
    return (min(low, mean), max(high, mean))


def _settled(pair: Pair) -> bool:
    return pair.first_passed in (0, pair.first_scored) and pair.second_passed in (0, pair.second_scored)


@cache
def corrected(values: tuple[float, ...]) -> tuple[list[float], list[float]]:
    """p-values corrected for their number: Holm (any false alarm), Benjamini and Hochberg (their share)."""
    if len(values) < 2:
        return list(values), list(values)
    from scipy.stats import false_discovery_control

    return holm(values), [float(value) for value in false_discovery_control(values)]


def holm(values: Sequence[float]) -> list[float]:
    """p-values by Holm's step-down method: the k-th smallest times n - k + 1, never falling, at most 1."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    adjusted = [0.0] * len(values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = largest
    return adjusted
