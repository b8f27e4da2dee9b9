"""Challenges over time as a table: how often an agent hands in, how much is valid, what iterating gains."""

from __future__ import annotations

from collections.abc import Sequence

from assay.report.listing import Listing
from assay.report.wording import count, percent, score_text, time_text
from assay.scoring import Attempt
from assay.scoring.over_time import Timeline, timelines

HEADINGS = (
    "challenge",
    "agent",
    "attempts",
    "submissions",
    "valid",
    "gain",
    "median best",
    "budget used",
    "first valid",
)


def challenge_listing(attempts: Sequence[Attempt]) -> Listing:
    """One row for each challenge and agent that was scored on the way."""
    found = timelines(attempts)
    return Listing(
        headings=HEADINGS,
        rows=[_row(one) for one in found],
        numbers=[{name: value for name, value in one if name not in ("median", "each")} for one in found],
        shape={"table": "challenges", "timelines": [one.model_dump(mode="json") for one in found]},
        notes=_notes(attempts, found),
    )


def first_valid(one: Timeline) -> float | None:
    """When the median attempt had its first valid submission."""
    return one.median[0][0] if one.median else None


def _row(one: Timeline) -> list[str]:
    return [
        one.task,
        one.agent if one.model == "none" else f"{one.agent} ({one.model})",
        f"{one.attempts}" + (f" (+{one.untold} untold)" if one.untold else ""),
        f"{one.submissions:.1f}",
        "–" if one.valid is None else f"{percent(one.valid)}%",
        "–" if one.gain is None else f"{score_text(one.gain, signed=True)} ({one.gained})",
        score_text(one.best),
        "–" if one.budget_used is None else f"{percent(one.budget_used)}%",
        time_text(first_valid(one)),
    ]


def _notes(attempts: Sequence[Attempt], found: Sequence[Timeline]) -> list[str]:
    if not found:
        made = sum(attempt.kind == "challenge" for attempt in attempts)
        told = f"none of the {count(made, 'attempt')} at challenges holds scores on the way"
        return [f"{told}, so there is no score over time."]
    return [
        "scores: baseline 0, reference 1. submissions: mean of an attempt. gain: mean of the last valid score"
        " minus the first, over as many attempts as stand in brackets. median best, first valid: an attempt"
        " without a valid submission stands below all. budget used: time of the last submission over the time"
        " allowed.",
    ]
