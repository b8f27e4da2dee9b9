"""The parts of the machine that a task gets: its own or an existing Python environment, and GPUs.

A machine with a GPU and without a package index already has its environment. Results from it may differ from
those of the pinned requirements, so every log names it.
"""

from __future__ import annotations

import os
from pathlib import Path

from assay.errors import UsageError
from assay.tasks import Task
from assay.workspace.environments import build_environment

SETTING = "ASSAY_TASK_ENVIRONMENT"
MINIMUM_GPUS = "ASSAY_TASK_GPUS"
"""Environment variable: every attempt and every grading gets at least this many GPUs."""


def task_environment(task: Task) -> Path:
    """Return the environment in which a task's commands run."""
    return user_environment() or build_environment(task.assay.requirements, task.assay.python)


def gpus_of(task: Task) -> int:
    """Return how many GPUs an attempt at a task, or its grading, gets."""
    return max(task.config.environment.gpus, minimum_gpus())


def shares_gpus(task: Task) -> bool:
    """Whether a task may use a GPU beside others; one that asks for no GPU may."""
    return task.assay.resources.gpus_shared or not task.config.environment.gpus


def minimum_gpus() -> int:
    """Return how many GPUs the user gives to tasks that ask for fewer."""
    setting = os.environ.get(MINIMUM_GPUS) or "0"
    if not setting.isdigit():
        raise UsageError(f"{MINIMUM_GPUS} is {setting!r}, expected a number of GPUs")
    return int(setting)


def user_environment() -> Path | None:
    """Return the environment that the user set for all tasks, or None."""
    setting = os.environ.get(SETTING)
    if not setting:
        return None
    folder = Path(setting).absolute()
    if not (folder / "pyvenv.cfg").is_file():
        raise UsageError(
            f"{SETTING} is {setting!r}, expected the folder of a virtual environment (one with a pyvenv.cfg)",
            hint=f"unset {SETTING}, or set it to the folder above bin/python",
        )
    return folder
