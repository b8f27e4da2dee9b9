"""Which numbers a conclusion rests on, and whether the re-made run wrote them."""

from __future__ import annotations

import asyncio

from assay.apart import apart
from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.execution_trace import ExecutionTrace
from assay.rules.cited_lookup import CitedLookup, look_up_cited
from assay.rules.literals import literals, stated_names, stated_numbers
from assay.rules.programs import SETTINGS
from assay.tasks import Task
from assay.workspace import Submission


def settings_of(submission: Submission, trace: ExecutionTrace | None) -> set[float]:
    """Numbers that the submission itself set: its design, its code that ran, and the settings of that."""
    ran = [name for name in (trace.ran if trace is not None else ()) if name in submission.files]
    named = [
        name
        for name in submission.files
        if name.endswith(SETTINGS)
        and name != "conclusion.json"
        and any(name.rpartition("/")[2].encode() in submission.files[program] for program in ran)
    ]
    names = dict.fromkeys(["design.json", *ran, *named])
    return literals({name: submission.files[name] for name in names if name in submission.files})


async def cited_in(room: CleanRoom, plain: Rerun) -> CitedLookup:
    """What was found of the numbers that the conclusion cites; looked up once for each submission."""
    if room.cited is None:
        seconds = plain.outcome.seconds
        room.cited = await look_up(room.task, room.submission, plain.trace, plain.results, seconds)
    return room.cited


async def look_up(
    task: Task,
    submission: Submission,
    trace: ExecutionTrace | None,
    results: object,
    run_seconds: float | None = None,
) -> CitedLookup:
    """What of the numbers that the conclusion cites is in the re-made results."""
    assert task.conclusion is not None
    return await apart(
        look_up_cited,
        task.conclusion,
        submission.files.get("conclusion.json"),
        results,
        stated_numbers(task.instruction, task.conclusion, task.design),
        task.noise,
        await asyncio.to_thread(settings_of, submission, trace),
        run_seconds,
        stated_names(task.instruction, task.conclusion, task.design),
    )


async def why_not_rested_on(room: CleanRoom, plain: Rerun) -> str | None:
    """Why the conclusion does not rest on this run, or None.

    Only for experiments without metrics: where numbers are compared with gold, that comparison decides.
    """
    if room.task.conclusion is None or plain.results is None or room.task.assay.metrics:
        return None
    found = await cited_in(room, plain)
    if not found.rests_on_others:
        return None
    listing = ", ".join(number.text for number in found.contrary[:5])
    share = f"{len(found.contrary)} of {len(found.cited)}"
    return f"the run did not write the numbers that the conclusion rests on: {listing} ({share})"
