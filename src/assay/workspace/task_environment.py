"""What of the machine a task gets: its own Python environment or one that is here already, and GPUs.

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
LEAST_GPUS = "ASSAY_TASK_GPUS"
"""The variable that gives every attempt and every grading at least so many GPUs, asked for or not."""


def task_environment(task: Task) -> Path:
    """The environment that a task's commands run in."""
    return given_environment() or build_environment(task.assay.requirements, task.assay.python)


def gpus_of(task: Task) -> int:
    """How many GPUs an attempt at a task, or its grading, gets."""
    return max(task.config.environment.gpus, least_gpus())


def least_gpus() -> int:
    """How many GPUs the user gives to tasks that ask for fewer."""
    named = os.environ.get(LEAST_GPUS) or "0"
    if not named.isdigit():
        raise UsageError(f"{LEAST_GPUS} is {named!r}, expected a number of GPUs")
    return int(named)


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
