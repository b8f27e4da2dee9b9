"""The demo suite: twelve tasks of our own, all three kinds, graded by running alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from assay.tasks.certificate import Certificate
from assay.tasks.folder import load_task
from assay.tasks.masked import load_masked_tasks
from assay.tasks.model import Task

DATA = Path(__file__).parent / "data" / "demo"


@cache
def _tasks() -> tuple[Task, ...]:
    tasks: list[Task] = []
    for folder in sorted(DATA.iterdir()):
        if (folder / "experiment.toml").is_file():
            tasks += [_certified(task, folder / "certificates") for task in load_masked_tasks(folder)]
        elif (folder / "task.toml").is_file():
            tasks.append(load_task(folder))
    order = ("masked", "experiment", "challenge")
    return tuple(sorted(tasks, key=lambda task: (order.index(task.kind), len(task.assay.masks), task.id)))


def _certified(task: Task, folder: Path) -> Task:
    path = folder / f"{task.id}.json"
    if not path.is_file():
        return task
    return task.model_copy(update={"certificate": Certificate.model_validate_json(path.read_bytes())})


def load() -> list[Task]:
    """The twelve tasks: masked by rising n, then experiments, then challenges."""
    return list(_tasks())
