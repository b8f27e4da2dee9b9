"""The conductor: joins tasks, workspaces, sandboxes, agents and graders into Inspect runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.agents import Budget
from assay.benchmarks import Suite, load_suite
from assay.evaluation.certified import check_certificates
from assay.evaluation.models import LOCAL_MODEL, NO_MODEL
from assay.evaluation.running import (
    Plan,
    PlannedAttempt,
    Settings,
    make_attempts,
    plan,
    prepare,
    still_to_make,
)
from assay.evaluation.space import check_space
from assay.sandbox import forced_engine
from assay.tasks import Task

if TYPE_CHECKING:
    from assay.evaluation.events import Finished, Started, Waiting
    from assay.evaluation.preflight import PreflightCheck

__all__ = [
    "LOCAL_MODEL",
    "NO_MODEL",
    "Budget",
    "Plan",
    "PlannedAttempt",
    "Settings",
    "carry_out",
    "plan",
    "run",
]


def run(
    suite: str | Path | Suite,
    *,
    agents: Sequence[str] = ("react",),
    models: Sequence[str] = (),
    settings: Settings | None = None,
    epochs: int = 1,
    processes: int = 1,
    tell: Callable[[Finished], None] | None = None,
    announce: Callable[[int, int], None] | None = None,
    begin: Callable[[Started], None] | None = None,
    wait: Callable[[Waiting], None] | None = None,
    preflight: bool = True,
    show_check: Callable[[PreflightCheck], None] | None = None,
) -> Plan:
    """Let agents try a suite; the plan that comes back says which attempts are still to make.

    `tell` is called for each attempt that ends, `begin` for each that begins, `wait` for each that waits for
    its service, `announce` once with what is done and what is left. Before anything runs, `preflight` checks
    models, tasks and this machine and passes each check to `show_check`; PreflightFailed says what is wrong.
    """
    selected = suite if isinstance(suite, Suite) else load_suite(suite)
    run_settings = settings or Settings(logs="logs")
    engine = forced_engine("docker") if run_settings.sandbox == "docker" else nullcontext()
    run_settings = (
        replace(run_settings, sandbox="bwrap") if run_settings.sandbox == "docker" else run_settings
    )
    planned = plan(selected, run_settings, agents, models, epochs)
    with engine:
        if preflight:
            from assay.evaluation.preflight import check_before_run

            check_before_run(planned, run_settings, show_check)
        return carry_out(
            planned, run_settings, processes=processes, tell=tell, announce=announce, begin=begin, wait=wait
        )


def carry_out(
    planned: Plan,
    settings: Settings,
    *,
    processes: int = 1,
    tell: Callable[[Finished], None] | None = None,
    announce: Callable[[int, int], None] | None = None,
    begin: Callable[[Started], None] | None = None,
    wait: Callable[[Waiting], None] | None = None,
) -> Plan:
    """Make the attempts of a plan that no log holds yet."""
    task_ids = {attempt.task for attempt in planned.left}
    if not settings.uncertified:
        check_certificates(planned.suite, task_ids, how="run them as they are with --uncertified")
    if announce is not None:
        announce(len(planned.attempts) - len(planned.left), len(planned.left))
    if not planned.left:
        return planned
    tasks = [task for task in planned.suite.tasks if task.id in task_ids]
    logs = Path(settings.logs)
    check_space(logs)
    try:
        if processes > 1:
            _share_out(planned, settings, tasks, processes, tell or _ignore, begin, wait)
        else:
            _make_here(planned, settings, tasks, tell or _ignore, begin, wait)
    except Exception:
        check_space(logs)
        raise
    left = still_to_make(planned.suite, settings, planned.attempts)
    if left:
        check_space(logs)
    return Plan(planned.suite, planned.attempts, left)


def _share_out(
    planned: Plan,
    settings: Settings,
    tasks: Sequence[Task],
    processes: int,
    tell: Callable[[Finished], None],
    begin: Callable[[Started], None] | None,
    wait: Callable[[Waiting], None] | None,
) -> None:
    from assay.evaluation.workers import start_workers

    with start_workers(planned.suite.source, settings, planned.left, processes) as workers:
        prepare(tasks)
        workers.work(tell, begin, wait)


def _make_here(
    planned: Plan,
    settings: Settings,
    tasks: Sequence[Task],
    tell: Callable[[Finished], None],
    begin: Callable[[Started], None] | None,
    wait: Callable[[Waiting], None] | None,
) -> None:
    from assay.evaluation.progress import listen

    prepare(tasks)
    stop = listen(tell, begin, wait)
    try:
        make_attempts(planned.suite, settings, planned.left)
    finally:
        stop()


def _ignore(finished: Finished) -> None:
    """For callers who do not listen."""
