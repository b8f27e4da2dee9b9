"""assay new: a task to fill in."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Kind(StrEnum):
    """The kinds of task."""

    masked = "masked"
    experiment = "experiment"
    challenge = "challenge"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(new)


def new(
    kind: Annotated[Kind, typer.Argument(help="masked, experiment or challenge.")],
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
) -> None:
    """Write a small task that works, to be changed into yours."""
    from assay.api.tasks import new as write_task

    write_task(kind.value, folder)
    print(f"{folder}: a working {kind.value} task. Change it, then: assay certify {folder}")
