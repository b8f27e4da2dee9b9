"""A run in two passes: attempts on one engine, their grading on another."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.evaluation.progress_file import mark_ended
from assay.evaluation.resume import waiting_attempts
from assay.evaluation.running import Plan, Settings, attempt_keys, still_to_make
from assay.evaluation.second_pass import publish_grades
from assay.files import place

if TYPE_CHECKING:
    from assay.evaluation.events import Finished
    from assay.protocols import RunEngine

CarryOut = Callable[[Plan, Settings, "RunEngine", "Tell"], None]
"""Does what a plan and its settings ask for on an engine."""
Tell = Callable[["Finished"], None]


def waits_for_grade(planned: Plan, settings: Settings) -> bool:
    """Whether a first pass has made attempts of this plan that no second pass has graded."""
    keys = attempt_keys(planned.suite, settings, planned.left)
    return not waiting_attempts(place(settings.logs)).keys().isdisjoint(keys.values())


def carry_out_in_two(
    planned: Plan, settings: Settings, engines: tuple[RunEngine, RunEngine], tell: Tell, work: CarryOut
) -> None:
    """Make the attempts on the first engine, then grade on the second whatever waits for it."""
    costs: list[float] = []

    def tell_failures(finished: Finished) -> None:
        """An attempt that was made is not finished yet; one that could not be made is."""
        costs.append(finished.cost or 0.0)
        if finished.error is not None:
            tell(finished)

    first = replace(settings, stage="attempt")
    left = still_to_make(planned.suite, first, planned.attempts)
    if left:
        work(replace(planned, left=left), first, engines[0], tell_failures)
    cap = settings.max_cost
    second = replace(
        settings, stage="grading", max_cost=None if cap is None else max(0.0, cap - math.fsum(costs))
    )
    waiting = waiting_attempts(place(settings.logs))
    keys = attempt_keys(planned.suite, settings, planned.attempts)
    ungraded = [
        attempt
        for attempt in still_to_make(planned.suite, second, planned.attempts)
        if keys[attempt] in waiting
    ]
    try:
        if ungraded:
            work(replace(planned, left=ungraded), second, engines[1], tell)
        else:
            mark_ended(place(settings.logs))
    finally:
        publish_grades(place(settings.logs))
