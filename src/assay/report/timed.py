"""Challenges over time as a table: how often an agent hands in, how much is valid, what iterating gains."""

from __future__ import annotations

from collections.abc import Sequence

from assay.report.listing import Listing
from assay.report.wording import count, money_text, percent, score_text, time_text
from assay.scoring import Attempt
from assay.scoring.scorecards.over_time import Timeline, timelines
from assay.scoring.scorecards.repeated_challenges import Repeated, repeated

HEADINGS = (
    "challenge",
    "agent",
    "attempts",
    "submissions",
    "valid",
    "approaches",
    "ablations",
    "gain",
    "median best",
    "budget used",
    "first valid",
)
RUN_HEADINGS = ("challenge", "agent", "runs", "with a score", "mean score", "cost a run", "one pass")
RUNS_NOTE = (
    "mean score: over the runs with a score, ± its standard error over runs. cost a run: mean of the runs of"
    " known price, as many as stand in brackets where not all. one pass: one run of each challenge."
)


def challenge_listing(attempts: Sequence[Attempt]) -> Listing:
    """One row for each challenge and agent that was scored on the way."""
    found, runs = timelines(attempts), repeated(attempts)
    return Listing(
        headings=HEADINGS,
        rows=[_row(one) for one in found],
        numbers=[{name: value for name, value in one if name not in ("median", "each")} for one in found],
        shape={
            "table": "challenges",
            "timelines": [one.model_dump(mode="json") for one in found],
            "runs": [one.model_dump(mode="json") for one in runs],
        },
        notes=_notes(attempts, found),
        beside=[RUN_HEADINGS, *map(_run_row, runs)],
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
        "–" if one.approaches is None else f"{one.approaches:.1f}",
        "–" if one.ablations is None else f"{one.ablations:.1f}",
        "–" if one.gain is None else f"{score_text(one.gain, signed=True)} ({one.gained})",
        score_text(one.best),
        "–" if one.budget_used is None else f"{percent(one.budget_used)}%",
        time_text(first_valid(one)),
    ]


def _run_row(one: Repeated) -> list[str]:
    error = "" if one.standard_error is None else f" ± {score_text(one.standard_error)}"
    return [
        one.task or f"all {one.tasks} of {one.suite}",
        one.agent if one.model == "none" else f"{one.agent} ({one.model})",
        f"{one.runs}",
        f"{one.scored}/{one.runs}" + (f" ({one.unknown} unknown)" if one.unknown else ""),
        score_text(one.mean) + error,
        money_text(one.cost) + (f" ({one.priced})" if 0 < one.priced < one.runs else ""),
        money_text(one.pass_cost),
    ]


def _notes(attempts: Sequence[Attempt], found: Sequence[Timeline]) -> list[str]:
    if not found:
        made = sum(attempt.kind == "challenge" for attempt in attempts)
        told = f"none of the {count(made, 'attempt')} at challenges holds scores on the way"
        return [f"{told}, so there is no score over time.", *([RUNS_NOTE] if made else [])]
    return [
        "scores: baseline 0, reference 1. submissions: mean of an attempt. gain: mean of the last valid score"
        " minus the first, over as many attempts as stand in brackets. median best, first valid: an attempt"
        " without a valid submission stands below all. budget used: time of the last submission over the time"
        " allowed. approaches, ablations: means, read from the archived submissions; – where one is missing.",
        RUNS_NOTE,
    ]
