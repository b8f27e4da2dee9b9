"""What a review measures about itself: agreement of two reviewers, minutes, progress."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.reviewing.decisions import FieldDecisions
from assay.reviewing.review import Review
from assay.reviewing.trail import TrailEvent
from assay.scoring.statistics.agreement import Share, kappa, kappa_interval, make_share
from assay.tasks.metric import Strict
from assay.tasks.review_items import FieldKey

LONGEST_PAUSE = 60.0
"""Seconds between two events that count as work; of a longer pause, this much counts."""
ALL_KINDS = "all"
_WORK = ("opened", "active", "decided", "settled", "undone")


class FieldAgreement(Strict):
    """How far two reviewers agree on fields of one kind."""

    kind: str
    """The kind of field; `all` for all kinds together."""
    same_decisions: Share
    """Fields on which both decided the same (and wrote the same, if both edited), of those both decided."""
    kappa: float | None
    """Cohen's κ of accept, edit and reject; None if the decisions do not vary."""
    kappa_low: float | None
    """The lower end of the 95% bootstrap interval of κ."""
    kappa_high: float | None
    """Its upper end."""


class ReviewedTask(Strict):
    """How far one task is."""

    task: str
    """The id of the task."""
    fields: int
    """Its fields."""
    decided: dict[str, int]
    """Reviewer → decided fields."""
    final: int
    """Fields with a final outcome."""
    different: int
    """Fields on which two reviewers differ and that nobody has settled."""
    minutes: dict[str, float]
    """Reviewer → minutes of work."""


class ReviewSummary(Strict):
    """What `assay review --summary --json` prints."""

    source: str
    """What is reviewed."""
    reviewers: list[str]
    """The names of the reviewers."""
    reviewer_count: int
    """How many people decide each field."""
    fields: int
    """All fields."""
    final: int
    """Fields with a final outcome."""
    choices: dict[str, int]
    """Accept, edit, reject → final fields."""
    agreement: list[FieldAgreement]
    """For each kind of field, then for all; empty for one reviewer."""
    tasks: list[ReviewedTask]
    """One entry for each task."""
    minutes_per_task: float | None
    """The mean over tasks that a reviewer has finished; None if there is none."""
    notes: list[str] = []
    """What a reader should know, such as a torn line of a trail."""


def summarise(review: Review, notes: Sequence[str] = ()) -> ReviewSummary:
    """Count everything again from the trails."""
    states = review.states()
    outcomes = review.outcomes()
    minutes = minutes_of(review.decisions.events)
    tasks = [
        _reviewed(review, task.id, [(task.id, entry.id) for entry in task.fields], states, minutes)
        for task in review.tasks
    ]
    finished = [
        entry.minutes.get(name, 0.0)
        for entry in tasks
        for name in review.reviewers
        if entry.fields and entry.decided[name] == entry.fields
    ]
    choices = [outcome.choice for outcome in outcomes.values()]
    return ReviewSummary(
        source=review.source.title,
        reviewers=review.reviewers,
        reviewer_count=review.reviewer_count,
        fields=len(review.fields),
        final=len(outcomes),
        choices={choice: choices.count(choice) for choice in ("accept", "edit", "reject")},
        agreement=_agreements(review, states) if review.reviewer_count > 1 else [],
        tasks=tasks,
        minutes_per_task=round(sum(finished) / len(finished), 2) if finished else None,
        notes=list(notes),
    )


def _reviewed(
    review: Review,
    task: str,
    keys: Sequence[FieldKey],
    states: dict[FieldKey, FieldDecisions],
    minutes: dict[tuple[str, str], float],
) -> ReviewedTask:
    own_states = [states[key] for key in keys]
    return ReviewedTask(
        task=task,
        fields=len(keys),
        decided={
            name: sum(name in state.by_reviewer or state.settlement is not None for state in own_states)
            for name in review.reviewers
        },
        final=sum(state.final(review.reviewer_count) is not None for state in own_states),
        different=sum(
            state.revealed(review.reviewer_count) and not state.is_agreed and state.settlement is None
            for state in own_states
        ),
        minutes={name: round(minutes[name, task], 2) for name in review.reviewers if (name, task) in minutes},
    )


def minutes_of(events: Iterable[TrailEvent]) -> dict[tuple[str, str], float]:
    """Return (reviewer, task) → minutes: the time from each event of work to the next of the reviewer."""
    last: dict[str, TrailEvent] = {}
    minutes: dict[tuple[str, str], float] = {}
    for event in events:
        if event.event not in _WORK:
            continue
        before = last.get(event.reviewer)
        last[event.reviewer] = event
        if before is None:
            continue
        seconds = min(max((event.at - before.at).total_seconds(), 0.0), LONGEST_PAUSE)
        key = (event.reviewer, before.task)
        minutes[key] = minutes.get(key, 0.0) + seconds / 60
    return minutes


def _agreements(review: Review, states: dict[FieldKey, FieldDecisions]) -> list[FieldAgreement]:
    """Agreement of the independent decisions; settlements do not change it."""
    decided_fields = [(key, state) for key, state in states.items() if state.revealed(review.reviewer_count)]
    kinds = list(dict.fromkeys(review.fields[key].kind for key, _ in decided_fields))
    groups = [
        *(
            (kind, [state for key, state in decided_fields if review.fields[key].kind == kind])
            for kind in kinds
        ),
        (ALL_KINDS, [state for _, state in decided_fields]),
    ]
    return [_agreement(kind, group, review.reviewers) for kind, group in groups]


def _agreement(kind: str, group: Sequence[FieldDecisions], reviewers: Sequence[str]) -> FieldAgreement:
    first, second = reviewers[0], reviewers[-1]
    pairs = [
        (state.by_reviewer[first].choice or "", state.by_reviewer[second].choice or "") for state in group
    ]
    low, high = kappa_interval(pairs)
    return FieldAgreement(
        kind=kind,
        same_decisions=make_share(sum(state.is_agreed for state in group), len(group)),
        kappa=kappa(pairs),
        kappa_low=low,
        kappa_high=high,
    )
