"""Grading in turn: as many at once as there are processors, so that no run is graded on a crowded machine."""

from __future__ import annotations

import os

from inspect_ai.util import concurrency

from assay.grading import Grade, Judge, Tolerance, Transcript, grade
from assay.tasks import Task
from assay.workspace import Submission


async def grade_in_turn(
    task: Task,
    submission: Submission,
    transcript: Transcript | None = None,
    *,
    tolerance: Tolerance,
    judge: Judge | None = None,
) -> Grade:
    """`grade`, once a place is free."""
    async with concurrency("assay-grading", os.cpu_count() or 1):
        return await grade(task, submission, transcript, tolerance, judge)
