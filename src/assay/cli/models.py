"""assay models: the local models, and how to get one."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from assay.cli.options import AsJson, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    group = typer.Typer(help="Local models: list them, pull one.", invoke_without_command=True)
    group.callback()(models)
    group.command()(pull)
    app.add_typer(group, name="models")


def models(context: typer.Context, json: AsJson = False) -> None:
    """List the local models."""
    if context.invoked_subcommand is not None:
        return
    from assay.models import models as known

    rows = [
        {
            "model": f"local/{each.name}",
            "present": each.present,
            "bytes": each.size,
            "licence": each.licence,
            "path": str(each.path) if each.path else None,
        }
        for each in known()
    ]
    if json:
        print_json({"models": rows})
        return
    for row in rows:
        where = row["path"] or f"not here; `assay models pull {str(row['model'])[6:]}` brings it"
        print(f"{row['model']:<16} {row['bytes'] / 1e6:7.0f} MB  {row['licence']:<12} {where}")
    print("every provider of Inspect works too: --model openai/…, anthropic/…, google/…, openai-api/…")


def pull(name: Annotated[str, typer.Argument(help="The model's name, such as smollm2.")]) -> None:
    """Bring a model into the user's cache, checked by its hash."""
    from assay.models import pull as pull_model

    print(pull_with_bar(name, pull_model))


def pull_with_bar(name: str, pull_model: object) -> object:
    """Pull with a progress bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(file=sys.stderr)) as bar:
        row = bar.add_task(f"pulling {name}", total=None)
        return pull_model(name, progress=lambda done, total: bar.update(row, completed=done, total=total))  # type: ignore[operator]
