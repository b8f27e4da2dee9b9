"""What several attempts at the same task say: pass@k and pass^k, by their unbiased estimators."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from assay.errors import UsageError
from assay.scoring.logs.attempts import Attempt
from assay.tasks.metric import Strict


class Repeats(Strict):
    """pass@k and pass^k averaged over the tasks that have k scored attempts."""

    k: int
    """How many attempts are taken together."""
    pass_at: float | None
    """The chance that at least one of k attempts passes."""
    pass_all: float | None
    """The chance that all k attempts pass (pass^k)."""
    tasks: int
    """Tasks with at least k scored attempts."""
    undefined: int
    """Tasks with fewer, which are left out."""


def pass_at_k(scored: int, passed: int, k: int) -> float | None:
    """The chance that at least one of k attempts passes; None with fewer than k scored attempts."""
    _check(scored, passed, k)
    if scored < k:
        return None
    return 1 - math.comb(scored - passed, k) / math.comb(scored, k)


def pass_all_k(scored: int, passed: int, k: int) -> float | None:
    """The chance that all of k attempts pass (pass^k); None with fewer than k scored attempts."""
    _check(scored, passed, k)
    if scored < k:
        return None
    return math.comb(passed, k) / math.comb(scored, k)


def repeats(attempts: Iterable[Attempt]) -> list[Repeats]:
    """Both chances for k = 1 up to the most attempts that any task has; empty where no task has two."""
    tasks: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        tasks[attempt.suite, attempt.task].append(attempt)
    most = max(map(len, tasks.values()), default=0)
    counts = [
        (
            sum(attempt.passed is not None for attempt in group),
            sum(attempt.passed is True for attempt in group),
        )
        for group in tasks.values()
    ]
    return [_repeats(counts, k) for k in range(1, most + 1)] if most > 1 else []


def _repeats(counts: list[tuple[int, int]], k: int) -> Repeats:
    repeated_counts = [(scored, passed) for scored, passed in counts if scored >= k]
    return Repeats(
        k=k,
        pass_at=_mean([pass_at_k(scored, passed, k) for scored, passed in repeated_counts]),
        pass_all=_mean([pass_all_k(scored, passed, k) for scored, passed in repeated_counts]),
        tasks=len(repeated_counts),
        undefined=len(counts) - len(repeated_counts),
    )


def _mean(values: list[float | None]) -> float | None:
    known_values = [value for value in values if value is not None]
    return math.fsum(known_values) / len(known_values) if known_values else None


def _check(scored: int, passed: int, k: int) -> None:
    if k < 1 or not 0 <= passed <= scored:
        raise UsageError(f"k = {k} with {passed} passed of {scored} scored cannot be; expected k ≥ 1")
