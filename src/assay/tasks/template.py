"""Tasks to begin from: small, working, one of each kind."""

from __future__ import annotations

import re
from pathlib import Path

from assay.errors import UsageError
from assay.tasks.folder import load_task
from assay.tasks.kinds import Kind
from assay.tasks.model import Task

TEMPLATES = Path(__file__).parent / "templates"


def template(kind: Kind, name: str) -> Task:
    """A working task of a kind, under a name of one's own."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise UsageError(f"{name!r} cannot name a task: letters, digits, dots, hyphens and underscores can")
    task = load_task(TEMPLATES / kind)
    table = task.assay.model_copy(update={"id": name})
    package = task.config.task.model_copy(update={"name": f"assay/{name}"})
    metadata = task.config.metadata.model_copy(update={"assay": table})
    return task.model_copy(
        update={"config": task.config.model_copy(update={"task": package, "metadata": metadata})}
    )
