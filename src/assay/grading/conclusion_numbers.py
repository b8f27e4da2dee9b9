"""Which numbers a conclusion rests on, and whether the re-made run wrote them."""

from __future__ import annotations

import asyncio

from assay.grading.apart import apart
from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.execution_trace import ExecutionTrace
from assay.rules.cited import Cited
from assay.rules.literals import literals, stated_numbers
from assay.rules.rests_on import doubtful_numbers, numbers_not_made
from assay.tasks import Task
from assay.workspace import Submission


def settings_of(submission: Submission, trace: ExecutionTrace | None) -> set[float]:
    """Numbers that the submission itself set: those of its design, and of its code that ran."""
    names = ["design.json", *(trace.ran if trace is not None else ())]
    return literals({name: submission.files[name] for name in names if name in submission.files})


async def why_not_rested_on(room: CleanRoom, plain: Rerun) -> str | None:
    """Why the conclusion does not rest on this run, or None.

    Only for experiments without metrics: where numbers are compared with gold, that comparison decides.
    """
    task, conclusion = room.task, room.task.conclusion
    if conclusion is None or plain.results is None or task.assay.metrics:
        return None
    settings = await asyncio.to_thread(settings_of, room.submission, plain.trace)
    missing, count = await apart(
        numbers_not_made,
        conclusion,
        room.submission.files.get("conclusion.json"),
        plain.results,
        stated_numbers(task.instruction, conclusion, task.design),
        task.noise,
        settings,
    )
    if 2 * len(missing) <= count:
        return None
    listing = ", ".join(missing[:5])
    share = f"{len(missing)} of {count}"
    return f"the run did not write the numbers that the conclusion rests on: {listing} ({share})"


async def find_doubtful(
    task: Task, submission: Submission, trace: ExecutionTrace | None, results: object
) -> tuple[str, list[Cited], list[Cited]]:
    """Return the text of the conclusion, its numbers that no rule found, and those found by chance alone."""
    assert task.conclusion is not None
    settings = await asyncio.to_thread(settings_of, submission, trace)
    handed_in = submission.files.get("conclusion.json")
    known_numbers = stated_numbers(task.instruction, task.conclusion, task.design)
    return await apart(
        doubtful_numbers, task.conclusion, handed_in, results, known_numbers, task.noise, settings
    )
