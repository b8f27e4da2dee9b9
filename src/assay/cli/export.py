"""assay export: any suite as folders that other harnesses can run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import SuiteName, TaskIds


def register(app: typer.Typer) -> None:
    """Add the verb."""
    group = typer.Typer(help="Write tasks for other harnesses.", no_args_is_help=True)
    group.callback()(lambda: None)
    group.command()(harbor)
    app.add_typer(group, name="export")


def harbor(
    suite: SuiteName, out: Annotated[Path, typer.Argument(help="A new folder.")], task: TaskIds = None
) -> None:
    """Write a suite as Harbor task directories."""
    from assay.api.tasks import export

    folders = export(suite, out, tasks=task or ())
    print(f"{len(folders)} tasks written to {out}")
