"""Tasks as a table of items: how hard each is, how well it separates agents, what it costs."""

from __future__ import annotations

from collections.abc import Sequence

from assay.reporting.printed_table import PrintedTable
from assay.reporting.wording import rate_text, score_text, time_text
from assay.scoring import Attempt, Method
from assay.scoring.scorecards.item_analysis import TaskAnalysis, analyse_tasks, choose_informative

HEADINGS = ("task", "kind", "agents", "passed, [95%]", "discrimination", "bits", "time", "bits/min", "flags")
MOST_ITEM_ROWS = 1000
"""Rows of the table in a page: a browser takes seconds for ten thousand."""
NOTE = (
    "measured agents only. discrimination: correlation of passing the task with the agent's pass rate on the"
    " other tasks. bits: what one attempt tells about which agent made it, from rates smoothed by half a pass"
    " and half a failure. time: mean of an attempt and its grading, if known. –: fewer than two agents,"
    " or nothing that varies."
)


def item_listing(
    attempts: Sequence[Attempt], *, lite: int | None = None, method: Method = "wilson"
) -> PrintedTable:
    """One row for each task; `lite` also chooses so many tasks by information per minute."""
    tasks = analyse_tasks(attempts, method=method)
    lite_ids = choose_informative(tasks, lite) if lite is not None and tasks else []
    notes = [summary(tasks), NOTE]
    notes += ["lite = [" + ", ".join(f'"{task}"' for task in lite_ids) + "]"] if lite_ids else []
    rows = [task.model_dump(mode="json") for task in tasks]
    return PrintedTable(
        headings=HEADINGS,
        rows=[_row(task) for task in tasks],
        numbers=[_numbers(row) for row in rows],
        shape={"table": "items", "interval": method, "tasks": rows, "lite": lite_ids},
        notes=notes,
    )


def summary(tasks: Sequence[TaskAnalysis]) -> str:
    """How many tasks can tell agents apart, in one sentence."""
    scored = [task for task in tasks if task.rate.scored]
    informative = [task for task in scored if 0.05 <= (task.rate.rate_scored or 0.0) <= 0.95]
    flagged = sum(bool(task.flags) for task in tasks)
    share = f"{len(informative)} of {len(scored)} scored tasks"
    return f"{share} have a pass rate from 5% to 95%; {flagged} have flags."


def shown_items(tasks: Sequence[TaskAnalysis]) -> list[TaskAnalysis]:
    """The tasks that a page shows: all, or if they are too many, first those with a flag."""
    if len(tasks) <= MOST_ITEM_ROWS:
        return list(tasks)
    return sorted(tasks, key=lambda task: not task.flags)[:MOST_ITEM_ROWS]


def bits_text(value: float | None) -> str:
    """Bits with three digits, or a dash."""
    return "–" if value is None else f"{value:.3f}"


def _row(task: TaskAnalysis) -> list[str]:
    return [
        task.task,
        task.kind,
        f"{task.agents}",
        rate_text(task.rate),
        score_text(task.discrimination, signed=True),
        bits_text(task.information),
        time_text(None if task.minutes is None else task.minutes * 60),
        bits_text(task.information_per_minute),
        ", ".join(task.flags),
    ]


def _numbers(row: dict[str, object]) -> dict[str, object]:
    """A row with plain values: those of the rate beside the others, flags as one text."""
    rate, flags = row["rate"], row["flags"]
    assert isinstance(rate, dict)
    assert isinstance(flags, list)
    plain = {name: value for name, value in row.items() if name not in ("rate", "flags")}
    return {**plain, **rate, "flags": "; ".join(map(str, flags))}
