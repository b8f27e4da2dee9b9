"""assay view: the logs in Inspect's own viewer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(view)


def view(
    logs: Annotated[Path, typer.Argument(help="The folder of logs.")] = Path("logs"),
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port on this machine.")] = 7575,
) -> None:
    """Open the logs in Inspect View: every message, command and verdict."""
    from assay.api.sharing import view as serve

    serve(logs, port=port)
