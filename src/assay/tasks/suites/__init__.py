"""Suites: named sets of tasks, one module each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from assay.errors import UsageError
from assay.tasks.folder import load_task
from assay.tasks.metric import Strict
from assay.tasks.model import Task


class Suite(Strict):
    """A named set of tasks."""

    name: str
    source: str
    """What it was loaded by: its name, or its folder."""
    tasks: list[Task]
    certificates: dict[str, str] = {}
    """Task id → the file in which its certificate is kept."""

    def only(self, ids: Sequence[str] = (), limit: int | None = None) -> Suite:
        """The suite cut down to some tasks, in the suite's own order."""
        known = {task.id for task in self.tasks}
        for wanted in ids:
            if wanted not in known:
                raise UsageError(
                    f"suite {self.name!r} has no task {wanted!r}", hint=f"it has: {', '.join(sorted(known))}"
                )
        chosen = [task for task in self.tasks if not ids or task.id in ids]
        return self.model_copy(update={"tasks": chosen[:limit]})


def _demo() -> Suite:
    from assay.tasks.suites.demo import load

    return load()


SUITES: dict[str, Callable[[], Suite]] = {"demo": _demo}


def load_suite(name: str | Path) -> Suite:
    """A suite by its name, or a folder of task folders, or one task folder."""
    if isinstance(name, str) and name in SUITES:
        return SUITES[name]()
    folder = Path(name)
    folders = (
        [folder] if (folder / "task.toml").is_file() else sorted(p.parent for p in folder.glob("*/task.toml"))
    )
    if not folders:
        raise UsageError(
            f"{str(name)!r} is neither a suite nor a folder of tasks",
            hint=f"suites: {', '.join(sorted(SUITES))}",
        )
    return from_folders(folder.resolve().name, str(folder.resolve()), folders)


def from_folders(name: str, source: str, folders: Sequence[Path]) -> Suite:
    """A suite of task folders; each keeps its certificate."""
    tasks = {each: load_task(each) for each in folders}
    ids = [task.id for task in tasks.values()]
    twice = sorted({task_id for task_id in ids if ids.count(task_id) > 1})
    if twice:
        raise UsageError(
            f"{source}: two tasks have the id {twice[0]!r}", hint="change [metadata.assay] id of one"
        )
    places = {task.id: str(each / "certificate.json") for each, task in tasks.items()}
    return Suite(name=name, source=source, tasks=list(tasks.values()), certificates=places)
