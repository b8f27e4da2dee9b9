"""Finds the folders on disk from which the tasks of a suite are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.benchmarks import is_benchmark, load_suite
from assay.errors import UsageError
from assay.tasks.selection import Selection

PROGRAM = "vary.py"
MARKERS = ("task.toml", "experiment.toml")


@dataclass(frozen=True)
class VariableFolder:
    """A task folder or an experiment folder, and which of its tasks are wanted."""

    folder: Path
    ids: tuple[str, ...] | None = None
    """None for all tasks of the folder."""

    @property
    def can_vary(self) -> bool:
        """Whether the folder has a program that makes variants."""
        return (self.folder / PROGRAM).is_file()


def find_folders(name: str | Path) -> list[VariableFolder]:
    """Find the folders behind a suite, `suite/id`, a folder of folders, or one folder."""
    path = Path(name)
    if _is_source(path):
        return [VariableFolder(path)]
    suite, slash, task_id = str(name).partition("/")
    if slash and is_benchmark(suite.partition("?")[0]):
        return _suite_folders(suite, (task_id,))
    if path.is_dir() and not is_benchmark(str(name)):
        folders = [inner for inner in sorted(path.iterdir()) if _is_source(inner)]
        if folders:
            return [VariableFolder(inner) for inner in folders]
    return _suite_folders(str(name))


def _suite_folders(name: str, ids: Sequence[str] = ()) -> list[VariableFolder]:
    suite = load_suite(name, Selection(ids=tuple(ids)) if ids else None)
    by_folder: dict[Path, list[str]] = {}
    for task in suite.tasks:
        certificate = Path(suite.certificates.get(task.id, ""))
        folder = next((above for above in list(certificate.parents)[:2] if _is_source(above)), None)
        if folder is None:
            raise UsageError(
                f"task {task.id!r} of suite {suite.name!r} is made by a program, so it has no folder to vary",
                hint="vary a suite of task folders, such as frontier",
            )
        by_folder.setdefault(folder, []).append(task.id)
    return [VariableFolder(folder, tuple(task_ids)) for folder, task_ids in by_folder.items()]


def _is_source(folder: Path) -> bool:
    return any((folder / marker).is_file() for marker in MARKERS)
