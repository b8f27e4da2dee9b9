"""The demo suite: twelve tasks of our own, of all three kinds, graded only by running code."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from assay.benchmarks.suite import Suite
from assay.masking.experiment import load_masked_tasks
from assay.tasks.certificate import Certificate
from assay.tasks.folder import load_task
from assay.tasks.kinds import rank
from assay.tasks.model import Task

DATA = Path(__file__).parent / "data"


@cache
def load() -> Suite:
    """Load the twelve tasks: masked tasks by increasing n, then experiments, then challenges."""
    tasks: list[Task] = []
    certificates: dict[str, str] = {}
    for folder in sorted(DATA.iterdir()):
        if (folder / "experiment.toml").is_file():
            for task in load_masked_tasks(folder):
                place = folder / "certificates" / f"{task.id}.json"
                certificates[task.id] = str(place)
                tasks.append(_certified(task, place))
        elif (folder / "task.toml").is_file():
            tasks.append(load_task(folder))
            certificates[tasks[-1].id] = str(folder / "certificate.json")
    tasks.sort(key=lambda task: (rank(task.kind), len(task.assay.masks), task.id))
    return Suite(name="demo", source="demo", tasks=tasks, certificates=certificates)


def _certified(task: Task, place: Path) -> Task:
    if not place.is_file():
        return task
    return task.model_copy(update={"certificate": Certificate.model_validate_json(place.read_bytes())})
