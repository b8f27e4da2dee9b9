"""assay schema: JSON schemas for editors."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from assay.cli.options import print_json


class Part(StrEnum):
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


def schema(part: Annotated[Part, typer.Argument(help="Which file.")] = Part.task) -> None:
    """Print the JSON schema of a task's file, for editors, or those of what an agent hands in, by file."""
    if part is Part.submission:
        from assay.rules.check_submission import SCHEMAS

        print_json(SCHEMAS)
        return

    from pydantic import BaseModel

    from assay.grading import Grade
    from assay.masking.experiment import Experiment
    from assay.tasks import Certificate, Conclusion, Design, Requirements, TaskConfig

    models: dict[Part, type[BaseModel]] = {
        Part.task: TaskConfig,
        Part.experiment: Experiment,
        Part.design: Design,
        Part.requirements: Requirements,
        Part.conclusion: Conclusion,
        Part.certificate: Certificate,
        Part.grade: Grade,
    }
    print_json(models[part].model_json_schema())
