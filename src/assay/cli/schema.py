"""assay schema: JSON schemas for editors."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from assay.cli.options import print_json


class SchemaPart(StrEnum):
    """What a schema is wanted for."""

    task = "task"
    experiment = "experiment"
    design = "design"
    requirements = "requirements"
    conclusion = "conclusion"
    certificate = "certificate"
    grade = "grade"
    submission = "submission"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(schema)


def schema(part: Annotated[SchemaPart, typer.Argument(help="Which file.")] = SchemaPart.task) -> None:
    """Print the JSON schema of a task's file, for editors, or those of what an agent hands in, by file."""
    from assay.api.tasks import schema as json_schema

    print_json(json_schema(part.value))
