"""Grading in turn: as many at once as there are processors, so that no run is graded on a crowded machine."""

from __future__ import annotations

import os
from dataclasses import dataclass

from inspect_ai.util import concurrency

from assay.grading import Grade, GradingRules, Judge, Transcript, grade
from assay.grading.kept_results import kept_results
from assay.run_context import run_context
from assay.tasks import Task
from assay.workspace import Submission


@dataclass(frozen=True)
class CoreShare:
    """How many processes share the cores that this one may use."""

    processes: int = 1
    cores: int | None = None
    """What a cluster gave to this process; None: an equal share of what it may use."""


def own_cores() -> int:
    """How many cores are this process's share, at least one."""
    share = run_context().part(CoreShare)
    if share.cores is not None:
        return share.cores
    return max(1, usable_cores() // share.processes)


def usable_cores() -> int:
    """How many cores this process may use; only Linux says it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


async def grade_in_turn(
    task: Task,
    submission: Submission,
    transcript: Transcript | None = None,
    *,
    rules: GradingRules,
    judge: Judge | None = None,
) -> Grade:
    """`grade`, once a place is free."""
    # Outside the queue: who waits for another build of the same workspace takes no place.
    async with kept_results().turn(task, submission), concurrency("assay-grading", own_cores()):
        return await grade(task, submission, transcript, rules, judge)
