"""assay shell: a terminal in exactly what an agent sees."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from assay.cli.options import find_task


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(shell)


def shell(
    task: Annotated[str, typer.Argument(help="suite/id, an id of the demo suite, or a task folder.")],
    command: Annotated[str | None, typer.Option("-c", help="Run this instead of a terminal.")] = None,
) -> None:
    """Open a shell in a task's workspace, in the sandbox that an agent would get; nothing is kept."""
    from assay.evaluation.samples import confinement
    from assay.sandbox import enter

    found = find_task(task)
    argv = ["/bin/bash", "-c", command] if command is not None else ["/bin/bash", "-i"]
    if command is None:
        print(f"{found.id}: what an agent sees; nothing is kept after `exit`", file=sys.stderr)
    raise typer.Exit(enter(confinement(found), argv))
