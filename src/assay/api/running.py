"""Runs: attempts made, graded and logged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ParamSpec

from assay.agents import Budget, find_agent
from assay.api.event_loop import outside_event_loop
from assay.api.results import Results
from assay.api.suites import choose_tasks
from assay.benchmarks import Suite
from assay.evaluation import Plan, PlannedAttempt, Settings
from assay.evaluation import run as run_suite
from assay.evaluation.events import Finished, Started, Waiting
from assay.evaluation.models import NO_MODEL
from assay.evaluation.preflight import PreflightCheck
from assay.files import place
from assay.protocols import RunEngine
from assay.scoring.logs.reading import LogRecord, read_record

Arguments = ParamSpec("Arguments")


@outside_event_loop
def run(
    suite: str | Path | Suite,
    *,
    agent: str | Sequence[str] = "react",
    model: str | Sequence[str] = (),
    epochs: int = 1,
    tasks: Sequence[str] = (),
    limit: int | None = None,
    logs: str | Path | None = None,
    budget: Budget | None = None,
    settings: Settings | None = None,
    processes: int = 1,
    on: str | RunEngine = "local",
    grade_on: str | RunEngine | None = None,
    progress: bool = True,
    preflight: bool = True,
    on_plan: Callable[[int, int], None] | None = None,
    on_start: Callable[[Started], None] | None = None,
    on_finish: Callable[[Finished], None] | None = None,
) -> Results:
    """Let agents try the tasks of a suite, and return the results; the same call again goes on.

    Attempts that `logs` already contains are not made again. `logs` and `budget` replace those of `settings`.
    `on` says where attempts run: `local`, `ray`, `ray://HOST:PORT`, `slurm`, or an engine of your own
    (`assay.protocols.RunEngine`). `grade_on` grades in a second pass on another engine. `progress` prints a
    line on standard error for each attempt that ends. `on_plan` gets how many attempts are done and how many
    are left, `on_start` and `on_finish` get each attempt. `preflight` first checks models, tasks and this
    machine; PreflightFailed says what is wrong.
    """
    changes: dict[str, Any] = {} if logs is None else {"logs": str(place(logs))}
    changes |= {} if budget is None else {"budget": budget}
    final_settings = replace(settings or Settings(), **changes)
    printer = ProgressPrinter() if progress else None
    plan = run_suite(
        choose_tasks(suite, tasks, limit),
        agents=_names(agent),
        models=_names(model),
        settings=final_settings,
        epochs=epochs,
        processes=processes,
        on=on,
        grade_on=grade_on,
        announce=_both(printer.on_plan if printer else None, on_plan),
        begin=on_start,
        tell=_both(printer.on_finish if printer else None, on_finish),
        wait=printer.on_wait if printer else None,
        preflight=preflight,
        show_check=printer.on_check if printer else None,
    )
    return _results(plan, final_settings)


class ProgressPrinter:
    """Prints one line on standard error for each attempt that ends."""

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        # Inspect redirects standard error while it runs; in a notebook the lines would be lost.
        self._stream = sys.stderr

    def on_plan(self, finished: int, left: int) -> None:
        """Print how many attempts there are."""
        self.done, self.total = finished, finished + left
        already = f", {finished} already finished" if finished else ""
        print(f"{left} attempts to make{already}", file=self._stream, flush=True)

    def on_check(self, check: PreflightCheck) -> None:
        """Print a check before the run that did not pass without remark."""
        if check.state in ("warning", "failed"):
            print(check.line, file=self._stream, flush=True)

    def on_wait(self, waiting: Waiting) -> None:
        """Print that an attempt waits for the service of its model."""
        print(waiting.line, file=self._stream, flush=True)

    def on_finish(self, finished: Finished) -> None:
        """Print how one attempt ended."""
        self.done += 1
        line = f"[{self.done}/{self.total}] {finished.agent} {finished.task} {finished.outcome}"
        print(f"{line} {finished.seconds:.1f} s", file=self._stream, flush=True)


def _both(
    first: Callable[Arguments, None] | None, second: Callable[Arguments, None] | None
) -> Callable[Arguments, None] | None:
    """One callback that calls both."""
    if first is None or second is None:
        return first or second

    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        first(*args, **kwargs)
        second(*args, **kwargs)

    return call


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _results(plan: Plan, settings: Settings) -> Results:
    """The attempts of this plan alone: the folder may contain those of other runs."""
    logs = place(settings.logs)
    suite = settings.rules.title(plan.suite.name)
    agents = {name: find_agent(name).name for name in {attempt.agent for attempt in plan.attempts}}

    def key(attempt: PlannedAttempt) -> tuple[str, str, str, str, int]:
        model = "none" if attempt.model == NO_MODEL else attempt.model
        return (suite, agents[attempt.agent], model, attempt.task, attempt.number)

    keys = {key(attempt) for attempt in plan.attempts}
    record = read_record(logs) if any(logs.rglob("*.eval")) else LogRecord(attempts=[])
    attempts = [attempt for attempt in record.attempts if attempt.key in keys]
    return Results(record.model_copy(update={"attempts": attempts}), [logs], plan.left)
