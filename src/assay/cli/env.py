"""assay env: a working Python environment for any repository, without a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.env_options import (
    CommitName,
    LastDay,
    LockFile,
    PaperName,
    PythonVersion,
    RepositoryPlace,
    SmokeCommand,
    SmokeSeconds,
    WithGpu,
    WithInstall,
)
from assay.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from datetime import date

    from assay.benchmarks import PaperSource
    from assay.tasks.lock import EnvironmentLock
    from assay.workspace.building import BuiltEnvironment


def register(app: typer.Typer) -> None:
    """Add the verb."""
    group = typer.Typer(
        help="Build a repository's Python environment and lock it.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command()(build)
    group.command()(show)
    app.add_typer(group, name="env")


def build(
    repository: RepositoryPlace = None,
    paper: PaperName = None,
    commit: CommitName = None,
    before: LastDay = None,
    python: PythonVersion = None,
    smoke: SmokeCommand = None,
    seconds: SmokeSeconds = 600.0,
    out: LockFile = None,
    install: WithInstall = True,
    gpu: WithGpu = None,
    json: AsJson = False,
) -> None:
    """Find the requirements, resolve them as of a day, repair, install, verify in the sandbox, and lock."""
    from assay.errors import UsageError
    from assay.workspace.building import BuildRequest, write_lock
    from assay.workspace.building import build as make

    day, task_path = _day(before), None
    if paper is not None:
        source = _published(paper, repository)
        repository, task_path = source.repository, source.task_path
        day, out = day or source.before, out or source.lock
    if repository is None:
        raise UsageError("nothing to build was named", hint="give a repository, or --paper CONFERENCE/PAPER")
    request = BuildRequest(repository, commit, day, python, smoke, seconds, install, gpu, task_path)
    built = make(request, report=lambda line: print(line, file=sys.stderr, flush=True))
    if out is not None:
        write_lock(built.lock, out)
    if json:
        print_json(_summary(built, out))
    else:
        _print(built.lock)
        if built.environment:
            print(f"environment  {built.environment}{' (from the cache)' if built.was_cached else ''}")
        if out:
            print(f"lock         {out}")
    _end(built.lock, installed=install)


def _summary(built: BuiltEnvironment, out: Path | None) -> dict[str, object]:
    return {
        "lock": built.lock.model_dump(mode="json"),
        "file": str(out) if out else None,
        "environment": str(built.environment) if built.environment else None,
        "cached": built.was_cached,
    }


def _end(lock: EnvironmentLock, installed: bool) -> None:
    """End with 1 unless the imports work, and the smoke run if there was one."""
    imports, smoke = lock.ladder["C0"], lock.ladder["C1"]
    if not installed or (imports.status == "met" and smoke.status != "unmet"):
        return
    problem = imports if imports.status != "met" else smoke
    print(f"error: the environment does not work: {problem.evidence}", file=sys.stderr, flush=True)
    raise typer.Exit(1)


def _published(paper: str, repository: Path | None) -> PaperSource:
    """Return a paper's fetched repository, the day of its pin, and where its suite looks for the lock."""
    from assay.benchmarks import find_paper
    from assay.errors import UsageError

    if repository is not None:
        raise UsageError(f"--paper {paper} and a repository were both named", hint="name one of them")
    return find_paper(paper)


def show(
    lock: Annotated[Path, typer.Argument(help="A lock that `assay env build` wrote.")], json: AsJson = False
) -> None:
    """Show a lock: pins, repairs, and how far the environment works."""
    from assay.workspace.building import read_lock

    locked = read_lock(lock)
    if json:
        print_json(locked.model_dump(mode="json"))
        return
    _print(locked)
    for pin in locked.requirements:
        print(
            f"pin          {pin}{' (built from source)' if pin.partition('==')[0] in locked.sdists else ''}"
        )


def _print(lock: EnvironmentLock) -> None:
    at = f" at {lock.commit[:12]}" if lock.commit else ""
    day = f"nothing after {lock.before}" if lock.before else "no cut-off date"
    print(f"repository   {lock.repository}{at}")
    print(f"python       {lock.python} ({lock.python_reason or 'no reason is recorded'})")
    print(f"pins         {len(lock.requirements)} for {lock.platform or 'an unknown platform'}, {day}")
    for note in lock.notes:
        print(f"note         {note}")
    for repair in lock.repairs:
        print(f"repair       {repair}")
    for rung, reached in lock.ladder.items():
        evidence = reached.evidence.replace("\n", "\n             ")
        print(f"{rung:<12} {reached.status}: {evidence}")


def _day(text: str | None) -> date | None:
    from datetime import date

    from assay.errors import UsageError

    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--before is {text!r}, expected a day such as 2024-05-30") from None
