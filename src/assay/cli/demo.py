"""assay demo: the demo suite with the calibrators and with a small real model, and its report."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assay.evaluation import Attempt
    from assay.tasks import Suite

REPORT = "report.html"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(demo)


def demo(
    out: Annotated[Path, typer.Option(help="Where runs are kept.")] = Path("runs"),
    model: Annotated[str, typer.Option(help="The model of the react agent.")] = "local/smollm2",
) -> None:
    """Run the demo: oracle, idle, cheats and honest agents, then a small real model; then the report."""
    from assay.agents import Budget
    from assay.cli.progress import Counter
    from assay.cli.report import show_scorecard
    from assay.evaluation import Plan, Settings, carry_out
    from assay.evaluation.running import still_to_make
    from assay.report import build
    from assay.tasks import load_suite

    suite = load_suite("demo")
    logs = _folder(out)
    if model == "local/smollm2":
        _bring_model()
    settings = Settings(
        logs=str(logs), budget=Budget(seconds=30, turns=4), generate={"max_tokens": 256, "max_connections": 2}
    )
    attempts = _attempts(suite, model)
    print(f"demo: {len(suite.tasks)} tasks; logs in {logs}", file=sys.stderr)
    planned = Plan(suite, attempts, still_to_make(suite, settings, attempts))
    with Counter() as counter:
        done = carry_out(planned, settings, tell=counter.tell, announce=counter.announce, begin=counter.begin)
    show_scorecard(logs, as_json=False)
    report = build([logs], logs / REPORT)
    Path(REPORT).write_bytes(report.read_bytes())
    print(f"\nreport: {Path(REPORT).resolve()}\nlogs:   assay view {logs}")
    if done.left:
        raise typer.Exit(1)


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


def _attempts(suite: Suite, model: str) -> list[Attempt]:
    """Oracle, idle and the model on all tasks; cheats and honest agents on the first of each kind."""
    from assay.agents import roster
    from assay.evaluation import NO_MODEL, Attempt

    first = {
        kind: next(task.id for task in suite.tasks if task.kind == kind)
        for kind in ("masked", "experiment", "challenge")
    }
    attempts = []
    for entry in roster().values():
        if entry.role == "calibrator":
            attempts += [Attempt(entry.name, NO_MODEL, task.id, 1) for task in suite.tasks]
        elif entry.role != "agent":
            attempts += [Attempt(entry.name, NO_MODEL, first[kind], 1) for kind in entry.kinds]
    return attempts + [Attempt("react", model, task.id, 1) for task in suite.tasks]
