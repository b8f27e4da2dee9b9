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
    tasks: list[Task]

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


def _demo() -> list[Task]:
    from assay.tasks.suites.demo import load

    return load()


SUITES: dict[str, Callable[[], list[Task]]] = {"demo": _demo}


def load_suite(name: str | Path) -> Suite:
    """A suite by its name, or a folder of task folders, or one task folder."""
    if isinstance(name, str) and name in SUITES:
        return Suite(name=name, tasks=SUITES[name]())
    folder = Path(name)
    if (folder / "task.toml").is_file():
        return Suite(name=folder.resolve().name, tasks=[load_task(folder)])
    folders = sorted(path.parent for path in folder.glob("*/task.toml"))
    if not folders:
        raise UsageError(
            f"{str(name)!r} is neither a suite nor a folder of tasks", hint=f"suites: {', '.join(sorted(SUITES))}"
        )
    return Suite(name=folder.resolve().name, tasks=[load_task(each) for each in folders])
