"""What a worker does with attempts: makes and grades them, only makes them, or only grades them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.benchmarks import Suite
from assay.evaluation.pending_folder import pending_files
from assay.evaluation.running import PlannedAttempt, Settings, make_attempts
from assay.files import place

if TYPE_CHECKING:
    from assay.agents.request_rate import RateAccount
    from assay.agents.run_cost_cap import Purse


def work_on(
    suite: Suite,
    settings: Settings,
    attempts: Sequence[PlannedAttempt],
    *,
    purse: Purse | None = None,
    rate: RateAccount | None = None,
    one_at_a_time: bool = False,
) -> None:
    """Do what the stage of the run asks for, in this process.

    `purse` is the run's money and `rate` its account of requests where several workers share them.
    """
    if settings.stage == "grading":
        from assay.evaluation.second_pass import grade_waiting as work
    else:
        work = make_attempts
        if pending_files(place(settings.logs)):
            from assay.evaluation.pending_grading import grade_pending

            attempts = grade_pending(
                suite, settings, attempts, purse=purse, rate=rate, one_at_a_time=one_at_a_time
            )
    if attempts:
        work(suite, settings, attempts, purse=purse, rate=rate, one_at_a_time=one_at_a_time)
