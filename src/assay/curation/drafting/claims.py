"""Claims of a conclusion: orders, directions and sizes that hold in every run of the solution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.curation.drafting.model import DraftClaim, DraftMetric
from assay.curation.labels import slug
from assay.tasks import DEFAULT, Claim, centre

MOST_CLAIMS = 6
MOST_ORDERED = 6


def draft_claims(metrics: Sequence[DraftMetric], tolerances: dict[str, float]) -> list[DraftClaim]:
    """Return the claims that the table's columns support, the most informative first."""
    claims: list[DraftClaim] = []
    for column in dict.fromkeys(metric.column for metric in metrics):
        group = [metric for metric in metrics if metric.column == column]
        claims += _column_claims(group, tolerances)
    return claims[:MOST_CLAIMS]


def _column_claims(group: Sequence[DraftMetric], tolerances: dict[str, float]) -> Iterator[DraftClaim]:
    measure = group[0].column_label or "the number"
    ranked = sorted(group, key=lambda metric: centre(metric.gold[DEFAULT]), reverse=True)
    separate_rows = _far_apart(ranked, tolerances)
    if 3 <= len(separate_rows) <= MOST_ORDERED:
        yield _ordering(separate_rows, measure)
    if len(ranked) >= 2 and _separated(ranked[0], ranked[-1], tolerances):
        yield _direction(ranked[0], ranked[-1], measure, tolerances)
    yield _magnitude(ranked[0], measure, tolerances)


def _far_apart(ranked: Sequence[DraftMetric], tolerances: dict[str, float]) -> list[DraftMetric]:
    """Return rows of which each is clearly above the next, in every run."""
    chosen_rows: list[DraftMetric] = []
    for metric in ranked:
        if not chosen_rows or _separated(chosen_rows[-1], metric, tolerances):
            chosen_rows.append(metric)
    return chosen_rows[:MOST_ORDERED]


def _separated(upper: DraftMetric, lower: DraftMetric, tolerances: dict[str, float]) -> bool:
    """Whether one number is above another by more than both tolerances, in every run."""
    return (
        min(upper.gold[DEFAULT]) - max(lower.gold[DEFAULT]) > tolerances[upper.path] + tolerances[lower.path]
    )


def _ordering(rows: Sequence[DraftMetric], measure: str) -> DraftClaim:
    names = [metric.row for metric in rows]
    # Not the true order: the question lists the names, and must not give the answer.
    listed = sorted(rows, key=lambda metric: metric.row)
    claim = Claim(
        id=f"order-{slug(measure, 30)}",
        question=f"Put these in the order of {measure}, the highest first: {', '.join(sorted(names))}.",
        kind="ordering",
        paths=[metric.path for metric in listed],
        order=[metric.row for metric in listed],
        answer=names,
    )
    return DraftClaim(claim=claim, evidence=[place for metric in rows for place in metric.evidence[:1]])


def _direction(
    upper: DraftMetric, lower: DraftMetric, measure: str, tolerances: dict[str, float]
) -> DraftClaim:
    # The pair is named in the order of the alphabet, so that the answer is not always the same word.
    first, second = sorted((upper, lower), key=lambda metric: metric.row)
    claim = Claim(
        id=f"compare-{slug(measure, 30)}",
        question=f"Is {measure} of {first.row} higher, lower or the same as that of {second.row}?",
        kind="direction",
        paths=[first.path, second.path],
        answer="higher" if first is upper else "lower",
        tolerance=tolerances[upper.path],
    )
    return DraftClaim(claim=claim, evidence=[*upper.evidence[:1], *lower.evidence[:1]])


def _magnitude(metric: DraftMetric, measure: str, tolerances: dict[str, float]) -> DraftClaim:
    claim = Claim(
        id=f"size-{slug(measure, 20)}-{slug(metric.row, 20)}",
        question=f"How large is {measure} of {metric.row} (a number, in the unit of results.json)?",
        kind="magnitude",
        paths=[metric.path],
        answer=float(f"{centre(metric.gold[DEFAULT]):.6g}"),
        tolerance=2 * tolerances[metric.path],
    )
    return DraftClaim(claim=claim, evidence=metric.evidence[:2])
