"""assay models: the local models, and how to get one."""

from __future__ import annotations

from pathlib import Path
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

    if json:
        print_json(
            {
                "models": [
                    {
                        "model": f"local/{entry.name}",
                        "present": entry.present,
                        "bytes": entry.bytes,
                        "licence": entry.licence,
                        "path": str(entry.path) if entry.present else None,
                    }
                    for entry in known()
                ]
            }
        )
        return
    for entry in known():
        location = (
            str(entry.path) if entry.present else f"not here; `assay models pull {entry.name}` brings it"
        )
        print(f"local/{entry.name:<10} {entry.bytes / 1e6:5.0f} MB  {entry.licence:<12} {location}")
    print("every provider of Inspect works too: --model openai/…, anthropic/…, google/…, openai-api/…")


def pull(name: Annotated[str, typer.Argument(help="The model's name, such as smollm2.")]) -> None:
    """Bring a model into the user's cache, checked by its hash."""
    print(pull_with_bar(name))


def pull_with_bar(name: str) -> Path:
    """Pull with a progress bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from assay.models import pull as pull_model
    from assay.models.catalogue import find_model

    find_model(name)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        row = bar.add_task(f"pulling {name}", total=None)
        return pull_model(
            name, progress=lambda completed, total: bar.update(row, completed=completed, total=total)
        )
