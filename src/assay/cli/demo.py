"""assay demo: the demo suite with the calibrators and with a small real model, and its report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from shlex import quote
from shutil import which
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.pass_rate import AllAgents
from assay.cli.preflight import NoPreflight, show_check

if TYPE_CHECKING:
    from assay.benchmarks import Suite
    from assay.evaluation import PlannedAttempt

REPORT = "report.html"
SECONDS, TURNS = 5.0, 3
"""The model's budget for an attempt: a CPU reads about 80 tokens a second, and the demo is to end soon."""
ONE_AT_A_TIME = {"max_tokens": 96, "max_samples": 1}


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(demo)


def demo(
    out: Annotated[Path, typer.Option(help="Where runs are kept.")] = Path("runs"),
    model: Annotated[str, typer.Option(help="The model of the react agent.")] = "local/smollm2",
    replay: Annotated[
        list[str] | None, typer.Option(help="A recording to show; those that ship, if left out.")
    ] = None,
    no_preflight: NoPreflight = False,
    all_agents: AllAgents = False,
) -> None:
    """Run the demo: calibrators, cheats, a recorded agent, then a small real model; then the report."""
    from assay.benchmarks import DEFAULT_SUITE, load_suite
    from assay.cli.progress import Counter
    from assay.cli.report import show_scorecard
    from assay.evaluation import Budget, Plan, Settings, carry_out
    from assay.evaluation.engines import LocalEngine
    from assay.evaluation.preflight import check_before_run
    from assay.evaluation.running import still_to_make
    from assay.reporting import build
    from assay.reporting.reasons import failure_lines
    from assay.scoring import read_record

    suite = load_suite(DEFAULT_SUITE)
    logs = _folder(out)
    if model == "local/smollm2":
        _bring_model()
    calibrators, model_attempts = _attempts(suite, model)
    calibrators += recorded_attempts(suite, replay)
    print(f"demo: {len(suite.tasks)} tasks; logs in {logs}", file=sys.stderr)
    small = Settings(logs=str(logs), budget=Budget(seconds=SECONDS, turns=TURNS), generate=ONE_AT_A_TIME)
    parts = [
        (settings, Plan(suite, attempts, still_to_make(suite, settings, attempts)))
        for settings, attempts in ((Settings(logs=str(logs)), calibrators), (small, model_attempts))
    ]
    if not no_preflight:
        left_of_all = [attempt for _, planned in parts for attempt in planned.left]
        check_before_run(
            Plan(suite, calibrators + model_attempts, left_of_all), small, show_check, LocalEngine()
        )
    left = 0
    for settings, planned in parts:
        with Counter() as counter:
            finished = carry_out(
                planned,
                settings,
                tell=counter.tell,
                announce=counter.announce,
                begin=counter.begin,
                wait=counter.wait,
            )
        left += len(finished.left)
    show_scorecard(logs, all_agents=all_agents, roles=("agent", "calibrator"), phases=False)
    print("\n".join(failure_lines(read_record(logs).attempts)))
    report = build([logs], logs / REPORT)
    Path(REPORT).write_bytes(report.read_bytes())
    print(f"\nreport: {Path(REPORT).resolve()}\n{_next_steps(logs)}")
    if left:
        raise typer.Exit(1)


def _next_steps(logs: Path) -> str:
    """How to go on; where a shell does not find `assay`, first how to make it do so."""
    commands = [
        ("assay view " + quote(str(logs)), "every message and command of every attempt"),
        ("assay run demo --model openai/gpt-5", "your model (see README.md for more)"),
        ("assay --help", "all commands"),
    ]
    folder = Path(sys.argv[0]).resolve().parent
    if which("assay") is None and (folder / "assay").is_file():
        commands.insert(0, (f"export PATH={quote(str(folder))}:$PATH", "so that the shell finds `assay`"))
    width = max(len(command) for command, _ in commands)
    return "how to go on:\n" + "\n".join(
        f"  {command:<{width}}  # {purpose}" for command, purpose in commands
    )


def _folder(out: Path) -> Path:
    """The newest unfinished run, or a new folder."""
    runs = sorted(out.glob("demo-*"))
    if runs and not (runs[-1] / REPORT).is_file():
        print(f"going on with {runs[-1]}", file=sys.stderr)
        return runs[-1]
    folder = out / f"demo-{datetime.now():%Y%m%d-%H%M%S}"
    folder.mkdir(parents=True)
    return folder


def _bring_model() -> None:
    from assay.cli.models import pull_with_bar
    from assay.models import find

    if find("smollm2") is None:
        pull_with_bar("smollm2")


def recorded_attempts(suite: Suite, names: Sequence[str] | None = None) -> list[PlannedAttempt]:
    """The first recorded attempt at each task, by these recordings or those that ship with the suite.

    A task that changed since is left out, with a line that says so.
    """
    from assay.agents import find_agent
    from assay.agents.recordings import shipped_names
    from assay.agents.replay import REPLAY, changed_tasks
    from assay.evaluation import NO_MODEL, PlannedAttempt

    attempts = []
    for name in shipped_names(suite.name) if names is None else names:
        agent, changed = find_agent(REPLAY + name), changed_tasks(name, suite.tasks)
        if changed:
            print(f"{agent.name} is not shown on {', '.join(changed)}: changed since", file=sys.stderr)
        attempts += [
            PlannedAttempt(REPLAY + name, NO_MODEL, task.id, 1)
            for task in suite.tasks
            if agent.covers(task, 1) and task.id not in changed
        ]
    return attempts


def _attempts(suite: Suite, model: str) -> tuple[list[PlannedAttempt], list[PlannedAttempt]]:
    """Oracle and idle on all tasks, each cheat and honest agent on one quick task; the model on all."""
    from assay.agents import roster
    from assay.benchmarks import DEFAULT_SUITE, find_benchmark
    from assay.evaluation import NO_MODEL, PlannedAttempt

    quick_tasks = find_benchmark(DEFAULT_SUITE).describe().quick_tasks
    attempts = []
    for entry in roster().values():
        if entry.role == "calibrator":
            attempts += [PlannedAttempt(entry.name, NO_MODEL, task.id, 1) for task in suite.tasks]
        elif entry.role != "agent":
            attempts.append(PlannedAttempt(entry.name, NO_MODEL, quick_tasks[entry.kinds[0]], 1))
    return attempts, [PlannedAttempt("react", model, task.id, 1) for task in suite.tasks]
