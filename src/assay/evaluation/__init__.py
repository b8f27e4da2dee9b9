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
from assay.evaluation.engines import EngineWork, choose_engine, ignore
from assay.evaluation.folder_lock import alone_in
from assay.evaluation.models import LOCAL_MODEL, NO_MODEL
from assay.evaluation.pending_folder import pending_files, remove_if_empty
from assay.evaluation.progress_file import ProgressWriter
from assay.evaluation.running import (
    Plan,
    PlannedAttempt,
    Settings,
    plan,
    still_to_make,
)
from assay.evaluation.space import check_space
from assay.evaluation.two_passes import Tell, carry_out_in_two, waits_for_grade
from assay.files import place
from assay.sandbox import forced_engine

if TYPE_CHECKING:
    from assay.evaluation.events import Finished, Started, Waiting
    from assay.evaluation.preflight import PreflightCheck
    from assay.protocols import RunEngine

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
    on: str | RunEngine = "local",
    grade_on: str | RunEngine | None = None,
    tell: Callable[[Finished], None] | None = None,
    announce: Callable[[int, int], None] | None = None,
    begin: Callable[[Started], None] | None = None,
    wait: Callable[[Waiting], None] | None = None,
    preflight: bool = True,
    show_check: Callable[[PreflightCheck], None] | None = None,
) -> Plan:
    """Let agents try a suite; the plan that comes back says which attempts are still to make.

    `tell` is called for each attempt that ends, `begin` for each that begins, `wait` for each that waits for
    its service, `announce` once with what is done and what is left. `on` says where attempts run: `local`,
    `ray`, `ray://HOST:PORT`, `slurm` or an engine. `grade_on` makes grading a second pass
    on another engine, after the attempts. Before anything runs, `preflight` checks
    models, tasks and this machine and passes each check to `show_check`; PreflightFailed says what is wrong.
    """
    selected = suite if isinstance(suite, Suite) else load_suite(suite)
    run_settings = settings or Settings(logs="logs")
    engine = choose_engine(on, processes)
    docker = forced_engine("docker") if run_settings.sandbox == "docker" else nullcontext()
    run_settings = (
        replace(run_settings, sandbox="bwrap") if run_settings.sandbox == "docker" else run_settings
    )
    planned = plan(selected, run_settings, agents, models, epochs)
    with docker:
        if preflight:
            from assay.evaluation.preflight import check_before_run

            check_before_run(planned, run_settings, show_check, engine)
        return carry_out(
            planned,
            run_settings,
            on=engine,
            grade_on=grade_on,
            tell=tell,
            announce=announce,
            begin=begin,
            wait=wait,
        )


def carry_out(
    planned: Plan,
    settings: Settings,
    *,
    processes: int = 1,
    on: str | RunEngine = "local",
    grade_on: str | RunEngine | None = None,
    tell: Callable[[Finished], None] | None = None,
    announce: Callable[[int, int], None] | None = None,
    begin: Callable[[Started], None] | None = None,
    wait: Callable[[Waiting], None] | None = None,
) -> Plan:
    """Make the attempts of a plan that no log holds yet."""
    engine = choose_engine(on, processes)
    task_ids = {attempt.task for attempt in planned.left}
    if not settings.uncertified:
        check_certificates(planned.suite, task_ids, how="run them as they are with --uncertified")
    if announce is not None:
        announce(len(planned.attempts) - len(planned.left), len(planned.left))
    if not planned.left:
        return planned
    logs = place(settings.logs)
    check_space(logs)
    with alone_in(logs):
        if pending_files(logs):
            from assay.evaluation.pending_grading import check_pending

            check_pending(planned, settings)
        return _work(planned, settings, engine, grade_on, tell or ignore, begin, wait)


def _work(
    planned: Plan,
    settings: Settings,
    engine: RunEngine,
    grade_on: str | RunEngine | None,
    tell: Tell,
    begin: Callable[[Started], None] | None,
    wait: Callable[[Waiting], None] | None,
) -> Plan:
    """Make the attempts that are left, and say which are left then."""
    logs = place(settings.logs)

    def work_through(plan_part: Plan, stage: Settings, where: RunEngine, finish: Tell) -> None:
        work = EngineWork(plan_part, stage, finish, begin, wait)
        another_follows = grade_on is not None and stage.stage == "attempt"
        with ProgressWriter(work, where.name, another_follows=another_follows) as progress:
            where.carry_out(replace(work, finish=progress.finish, begin=progress.begin))

    if grade_on is None and settings.stage == "whole" and waits_for_grade(planned, settings):
        grade_on = engine
    try:
        if grade_on is None:
            work_through(planned, settings, engine, tell)
        else:
            engines = (engine, choose_engine(grade_on))
            carry_out_in_two(planned, settings, engines, tell, work_through)
    except Exception:
        check_space(logs)
        raise
    remove_if_empty(logs)
    left = still_to_make(planned.suite, settings, planned.attempts)
    if left:
        check_space(logs)
    return Plan(planned.suite, planned.attempts, left)
