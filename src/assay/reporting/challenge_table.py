"""Challenges over time as a table: how often an agent hands in, how much is valid, what iterating gains."""

from __future__ import annotations

from collections.abc import Sequence

from assay.reporting.printed_table import PrintedTable
from assay.reporting.wording import count, money_text, percent, score_text, time_text
from assay.scoring import Attempt
from assay.scoring.scorecards.over_time import Timeline, timelines
from assay.scoring.scorecards.repeated_challenges import Repeated, repeated
from assay.tasks.kinds import CHALLENGE

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


def challenge_listing(attempts: Sequence[Attempt]) -> PrintedTable:
    """One row for each challenge and agent that was scored on the way."""
    timeline_rows, runs = timelines(attempts), repeated(attempts)
    return PrintedTable(
        headings=HEADINGS,
        rows=[_row(timeline) for timeline in timeline_rows],
        numbers=[
            {name: value for name, value in timeline if name not in ("median", "each")}
            for timeline in timeline_rows
        ],
        shape={
            "table": "challenges",
            "timelines": [timeline.model_dump(mode="json") for timeline in timeline_rows],
            "runs": [runs_row.model_dump(mode="json") for runs_row in runs],
        },
        notes=_notes(attempts, timeline_rows),
        other_tables=[[RUN_HEADINGS, *map(_run_row, runs)]],
    )


def first_valid(timeline: Timeline) -> float | None:
    """When the median attempt had its first valid submission."""
    return timeline.median[0][0] if timeline.median else None


def _row(timeline: Timeline) -> list[str]:
    return [
        timeline.task,
        timeline.agent if timeline.model == "none" else f"{timeline.agent} ({timeline.model})",
        f"{timeline.attempts}" + (f" (+{timeline.untold} untold)" if timeline.untold else ""),
        f"{timeline.submissions:.1f}",
        "–" if timeline.valid is None else f"{percent(timeline.valid)}%",
        "–" if timeline.approaches is None else f"{timeline.approaches:.1f}",
        "–" if timeline.ablations is None else f"{timeline.ablations:.1f}",
        "–" if timeline.gain is None else f"{score_text(timeline.gain, signed=True)} ({timeline.gained})",
        score_text(timeline.best),
        "–" if timeline.budget_used is None else f"{percent(timeline.budget_used)}%",
        time_text(first_valid(timeline)),
    ]


def _run_row(runs_row: Repeated) -> list[str]:
    error = "" if runs_row.standard_error is None else f" ± {score_text(runs_row.standard_error)}"
    return [
        runs_row.task or f"all {runs_row.tasks} of {runs_row.suite}",
        runs_row.agent if runs_row.model == "none" else f"{runs_row.agent} ({runs_row.model})",
        f"{runs_row.runs}",
        f"{runs_row.scored}/{runs_row.runs}" + (f" ({runs_row.unknown} unknown)" if runs_row.unknown else ""),
        score_text(runs_row.mean) + error,
        money_text(runs_row.cost) + (f" ({runs_row.priced})" if 0 < runs_row.priced < runs_row.runs else ""),
        money_text(runs_row.pass_cost),
    ]


def _notes(attempts: Sequence[Attempt], timeline_rows: Sequence[Timeline]) -> list[str]:
    if not timeline_rows:
        attempted = sum(attempt.kind == CHALLENGE for attempt in attempts)
        summary = f"none of the {count(attempted, 'attempt')} at challenges holds scores on the way"
        return [f"{summary}, so there is no score over time.", *([RUNS_NOTE] if attempted else [])]
    return [
        "scores: baseline 0, reference 1. submissions: mean of an attempt. gain: mean of the last valid score"
        " minus the first, over as many attempts as stand in brackets. median best, first valid: an attempt"
        " without a valid submission stands below all. budget used: time of the last submission over the time"
        " allowed. approaches, ablations: means, read from the archived submissions; – where one is missing.",
        RUNS_NOTE,
    ]
