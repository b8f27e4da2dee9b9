"""New tasks from a folder that can be varied."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.errors import TaskError, UsageError
from assay.masking.experiment import load_masked_tasks
from assay.sandbox.host.scratch import temporary_folder
from assay.tasks import Task, TaskConfig, load_task, save_task
from assay.tasks.expansion import SHARED
from assay.tasks.files import read_tree, write_tree
from assay.tasks.folder import MOST_TEXT
from assay.tasks.model import parse_toml
from assay.varying.program import varied_files
from assay.varying.solution_numbers import rebuilt, with_new_gold
from assay.varying.sources import PROGRAM, VariableFolder
from assay.workspace import task_environment


@dataclass(frozen=True)
class VariedTask:
    """A new task, and the task that it is a variant of."""

    id: str
    original: str
    """The id of the task that was varied."""
    folder: Path
    """Where the new task is."""
    digest: str
    changed: tuple[str, ...]
    """The files of the old folder that `vary.py` changed, added or removed."""


async def vary_folder(
    source: VariableFolder, seed: int, out: Path, report: Callable[[str], None]
) -> list[VariedTask]:
    """Write a variant of each wanted task of a folder into `out`, with new gold and no certificate."""
    if not source.can_vary:
        raise UsageError(f"{source.folder} has no {PROGRAM}, so it cannot be varied")
    if seed < 0:
        raise UsageError(f"the seed is {seed}, expected a whole number from 0")
    place = f"{source.folder.name}/{PROGRAM}"
    report(f"{source.folder.name}: running {PROGRAM} with seed {seed}")
    before = read_tree(source.folder, str(source.folder))
    environment = await asyncio.to_thread(task_environment, _tasks_of(source.folder)[0])
    after = _without_copies(await varied_files(source.folder, before, seed, environment), place)
    changed = tuple(
        sorted(
            path
            for path in {*before, *after}
            if before.get(path) != after.get(path) and not path.startswith((PROGRAM, "certificate"))
        )
    )
    tasks = _wanted(_load(source.folder, after, place), source)
    report(f"{source.folder.name}: running the solution for new gold numbers")
    # All masked tasks of one experiment share their numbers: they come from the same complete code.
    first = await with_new_gold(tasks[0])
    varied = []
    for task in tasks:
        tests = {**task.tests, **({"results.json": first.tests["results.json"]} if task.assay.masks else {})}
        new_task = _renamed(rebuilt(task, tests=tests) if task.assay.masks else first, seed)
        folder = out / new_task.config.task.name.partition("/")[2]
        save_task(new_task, folder)
        varied.append(VariedTask(new_task.id, task.id, folder, load_task(folder).digest, changed))
    return varied


def _without_copies(files: dict[str, bytes], place: str) -> dict[str, bytes]:
    """Leave out what is copied from other parts of the task whenever it is read."""
    if "task.toml" not in files or "experiment.toml" in files:
        return files
    with _made_at(place):
        if len(files["task.toml"]) > MOST_TEXT:
            raise TaskError("task.toml", f"has more than {MOST_TEXT:,} bytes")
        copies = parse_toml(files["task.toml"], TaskConfig, "task.toml").metadata.assay.copies
    return {
        path: data
        for path, data in files.items()
        if not any(path == place or path.startswith(f"{place}/") for place in copies)
    }


def _load(folder: Path, files: dict[str, bytes], place: str) -> list[Task]:
    """Load the tasks of varied files; shared files are read from beside the old folder."""
    with temporary_folder("varying") as scratch:
        copy = scratch / folder.name
        copy.mkdir()
        write_tree(files, copy)
        if (folder.parent / SHARED).is_dir():
            shutil.copytree(folder.parent / SHARED, copy.parent / SHARED, symlinks=True)
        with _made_at(place, f"{copy}/"):
            return _tasks_of(copy)


def _tasks_of(folder: Path) -> list[Task]:
    return load_masked_tasks(folder) if (folder / "experiment.toml").is_file() else [load_task(folder)]


@contextmanager
def _made_at(place: str, prefix: str = "") -> Iterator[None]:
    """Let an error of reading name the program that made the folder; `prefix` begins its temporary paths."""
    try:
        yield
    except TaskError as error:
        message = error.message.replace(prefix, "")
        raise TaskError(place, f"made a folder that cannot be read: {message}", hint=error.hint) from None


def _wanted(tasks: list[Task], source: VariableFolder) -> list[Task]:
    """The tasks of the folder that were asked for, by their old ids: `vary.py` may not rename tasks."""
    tasks_asked_for = [task for task in tasks if source.ids is None or task.id in source.ids]
    missing = sorted(set(source.ids or ()) - {task.id for task in tasks_asked_for})
    if missing or not tasks_asked_for:
        names = ", ".join(task.id for task in tasks) or "none"
        raise UsageError(
            f"{source.folder.name} has no task {', '.join(missing)} after {PROGRAM} ran",
            hint=f"it has: {names}",
        )
    return tasks_asked_for


def _renamed(task: Task, seed: int) -> Task:
    suffix = f"-v{seed}"
    table = task.assay.model_copy(update={"id": task.id + suffix})
    package = task.config.task.model_copy(update={"name": task.config.task.name + suffix})
    metadata = task.config.metadata.model_copy(update={"assay": table})
    config = task.config.model_copy(update={"task": package, "metadata": metadata})
    return rebuilt(task, config=config, certificate=None)
