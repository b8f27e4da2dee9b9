"""assay suites: which suites there are, and what is in one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import AsJson, Dial, Sample, Seed, print_json, print_report

if TYPE_CHECKING:
    from assay.protocols import TaskReport


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(suites)


def suites(
    suite: Annotated[str | None, typer.Argument(help="A suite's name, or a folder of task folders.")] = None,
    n: Dial = None,
    sample: Sample = None,
    seed: Seed = 0,
    split: Annotated[
        str | None, typer.Option(help="A part of the suite, where it has parts; `assay suites --json`.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option(help="A folder with the suite's task files, in place of the cache.")
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option(help="Write what was drawn, and how, to this file.")
    ] = None,
    json: AsJson = False,
) -> None:
    """List the suites, or the tasks of one."""
    from assay.benchmarks import list_suite
    from assay.masking.dial import Selection, parse_n

    if suite is None:
        _list_suites(json)
        return
    selection = Selection(n=parse_n(n) if n else None, sample=sample, seed=seed, split=split)
    tasks = list_suite(suite, selection if selection != Selection() else None, source)
    if manifest is not None:
        _write_manifest(suite, tasks, manifest)
    print_report(tasks, as_json=json)


def _list_suites(json: bool) -> None:
    """Every suite with its number of tasks; one that is not fetched yet says how to fetch it."""
    from assay.api.suites import list_suites

    descriptions = list_suites(on_warning=_warn)
    if json:
        rows = [
            {
                "suite": suite.name,
                "tasks": suite.tasks,
                "missing": suite.missing,
                "summary": suite.summary,
                "fetch": suite.fetch,
                "splits": list(suite.splits),
                "licence": suite.licence,
            }
            for suite in descriptions
        ]
        print_json({"suites": rows})
        return
    for suite in descriptions:
        size = "an unknown number of tasks" if suite.tasks is None else f"{suite.tasks} tasks"
        print(f"{suite.name:<20} {size if suite.missing is None else f'not here: {suite.missing}'}")


def _warn(line: str) -> None:
    print(f"warning: {line}", file=sys.stderr)


def _write_manifest(suite: str, tasks: TaskReport, path: Path) -> None:
    from assay.errors import UsageError

    if tasks.manifest is None:
        raise UsageError(f"nothing was drawn from {suite!r}", hint="give --n or --sample")
    path.write_text(tasks.manifest.model_dump_json(indent=2) + "\n")
