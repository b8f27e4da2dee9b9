"""Which Python environment a task runs in: its own, or one that is here already and is named for all tasks.

A machine with a GPU and without a package index has its environment before Assay comes. Numbers from it
are not those of the pinned requirements, so every log names it.
"""

from __future__ import annotations

import os
from pathlib import Path

from assay.errors import UsageError
from assay.tasks import Task
from assay.workspace.environments import build_environment

SETTING = "ASSAY_TASK_ENVIRONMENT"


def task_environment(task: Task) -> Path:
    """The environment that a task's commands run in."""
    return given_environment() or build_environment(task.assay.requirements, task.assay.python)


def given_environment() -> Path | None:
    """The environment that the user named for all tasks, if any."""
    named = os.environ.get(SETTING)
    if not named:
        return None
    folder = Path(named).absolute()
    if not (folder / "pyvenv.cfg").is_file():
        raise UsageError(
            f"{SETTING} is {named!r}, expected the folder of a virtual environment (one with a pyvenv.cfg)",
            hint=f"unset {SETTING}, or name the folder above bin/python",
        )
    return folder
