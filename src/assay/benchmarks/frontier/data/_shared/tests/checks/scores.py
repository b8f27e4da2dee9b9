"""How good intervals and estimates are, study by study, beside those of the best known analysis.

The score of a 95% interval is its width plus 40 times the distance by which it misses the true number. On average no
interval has a lower score than the true one, so it helps neither to widen nor to narrow what an analysis gives.
"""

from __future__ import annotations

from collections.abc import Iterable

MISS = 2 / 0.05
LARGEST = 40.0
"""One study counts at most as much as this many intervals of the best known analysis."""
LARGEST_ERROR = 1.0
"""The error of one estimate counts at most as much as one interval of the best known analysis."""
FEWEST = 10
"""Studies of one kind below which its score is not judged by itself."""


def interval_score(low: float, high: float, truth: float, unit: float) -> float:
    """The score of one interval, in units of the width of the best known one."""
    return min((high - low + MISS * max(low - truth, truth - high, 0.0)) / unit, LARGEST)


def score_ratios(scores: Iterable[tuple[str, float, float]]) -> tuple[float, float]:
    """Own score divided by that of the best known analysis: over all studies, and in the kind where it is highest.

    `scores` has the kind of each study, its own score and that of the best known analysis.
    """
    kinds: dict[str, list[tuple[float, float]]] = {}
    for kind, own, best in scores:
        kinds.setdefault(kind, []).append((own, best))
    total = _ratio([pair for pairs in kinds.values() for pair in pairs])
    return total, max([_ratio(pairs) for pairs in kinds.values() if len(pairs) >= FEWEST] or [total])


def error_ratio(errors: Iterable[tuple[float, float]]) -> float:
    """The sum of absolute errors of the estimates divided by that of the best known analysis.

    `errors` has the own error of each study and that of the best known analysis, in widths of its interval.
    """
    return _ratio([(_bounded(own), _bounded(best)) for own, best in errors])


def _bounded(error: float) -> float:
    return min(abs(error), LARGEST_ERROR)


def _ratio(pairs: list[tuple[float, float]]) -> float:
    return sum(own for own, _ in pairs) / sum(best for _, best in pairs)
