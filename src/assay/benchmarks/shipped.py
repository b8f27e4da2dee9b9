"""Loads the tasks of a benchmark that ships with Assay: task folders and experiment folders in one place.

The folder `data` of such a benchmark has
    NAME/task.toml          a task folder; its certificate is certificate.json beside it
    NAME/experiment.toml    an experiment folder, from which masked tasks are made; certificates/ID.json
    splits.toml             name of a split → ids of its tasks, if the suite has splits
    _shared/, _recorded/    files that several tasks share, and archived hand-ins; no tasks
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import ClassVar

from pydantic import RootModel

from assay.benchmarks.base import BaseBenchmark
from assay.benchmarks.description import Description
from assay.benchmarks.suite import Suite
from assay.errors import TaskError, UsageError
from assay.masking.experiment import Experiment, load_masked_tasks
from assay.tasks.certificate import Certificate
from assay.tasks.folder import load_task
from assay.tasks.kinds import rank
from assay.tasks.model import Task, parse_toml
from assay.tasks.selection import Selection

SPLITS_FILE = "splits.toml"
ALL = "all"
EASY = "easy"
"""The split of tasks that every capable agent passes: the suite is without them, unless they are named."""


class SplitTable(RootModel[dict[str, tuple[str, ...]]]):
    """All of splits.toml: name of a split → the ids of its tasks."""


class ShippedBenchmark(BaseBenchmark):
    """A benchmark whose tasks and splits are files in `folder`."""

    has_drafts: ClassVar[bool] = False
    """Whether tasks without a certificate may be among the files: these are in the split `all` alone."""

    def load(self, selection: Selection) -> Suite:
        """Read every task once for each process, then select; a split is a fixed list of ids.

        The source of a suite with drafts or easy tasks is the split of all: other processes must find them.
        """
        selected = self._select(selection)
        if self.has_drafts and not {task.id for task in selected.tasks} <= set(self._usual_ids()):
            return selected.model_copy(update={"source": f"{self.name}?split={ALL}"})
        return selected

    def _usual_ids(self, *, with_easy: bool = False) -> list[str]:
        """The ids of the tasks that the suite has without a split: certified, and not easy."""
        easy = () if with_easy else read_splits(self.folder).get(EASY, ())
        tasks = load_shipped(self.name, self.folder).tasks
        return [task.id for task in tasks if task.certificate is not None and task.id not in easy]

    def _select(self, selection: Selection) -> Suite:
        suite = load_shipped(self.name, self.folder)
        if not suite.tasks:
            raise UsageError(f"suite {self.name!r} has no tasks yet", hint="its data folder is empty")
        splits = read_splits(self.folder)
        if self.has_drafts and selection.split == ALL:
            return suite.select(selection.model_copy(update={"split": None}))
        if self.has_drafts and selection.split is None:
            suite = suite.only(self._usual_ids(with_easy=bool(selection.ids)))
        if selection.split is None or not splits:
            return suite.select(selection)
        members = splits.get(selection.split)
        if not members:
            problem = "has no split" if members is None else "has no tasks yet in split"
            hint = f"splits: {', '.join(self._split_names())}"
            raise UsageError(f"suite {self.name!r} {problem} {selection.split!r}", hint=hint)
        return suite.only(members).select(selection.model_copy(update={"split": None}))

    def count_tasks(self) -> int:
        """Count the tasks without making them; a draft has no certificate, and easy tasks are left out."""
        if self.has_drafts:
            ids = {path.parent.name for path in self.folder.glob("*/certificate.json")}
            ids |= {path.stem for path in self.folder.glob("*/certificates/*.json")}
            return len(ids - set(read_splits(self.folder).get(EASY, ())))
        return count_shipped(self.folder)

    def describe(self) -> Description:
        """Add the splits of splits.toml."""
        return replace(super().describe(), splits=self._split_names())

    def _split_names(self) -> tuple[str, ...]:
        return (*read_splits(self.folder), *((ALL,) if self.has_drafts else ()))


@cache
def load_shipped(name: str, data: Path) -> Suite:
    """Load every task: masked tasks by increasing n, then experiments, then challenges."""
    tasks: list[Task] = []
    certificates: dict[str, str] = {}
    for folder in _folders(data, "experiment.toml"):
        for task in load_masked_tasks(folder):
            path = folder / "certificates" / f"{task.id}.json"
            certificates[task.id] = str(path)
            tasks.append(_certified(task, path))
    for folder in _folders(data, "task.toml"):
        tasks.append(load_task(folder))
        certificates[tasks[-1].id] = str(folder / "certificate.json")
    if len(certificates) < len(tasks):
        ids = [task.id for task in tasks]
        duplicate = next(task_id for task_id in ids if ids.count(task_id) > 1)
        raise TaskError(str(data), f"two tasks have the id {duplicate!r}", hint="change the id of one")
    tasks.sort(key=lambda task: (rank(task.kind), len(task.assay.masks), task.id))
    return Suite(name=name, source=name, tasks=tasks, certificates=certificates)


def count_shipped(data: Path) -> int:
    """Count the tasks without making them."""
    experiments = [
        parse_toml((folder / "experiment.toml").read_bytes(), Experiment, f"{folder}/experiment.toml")
        for folder in _folders(data, "experiment.toml")
    ]
    masked = sum(len(experiment.tasks) for experiment in experiments)
    return masked + sum(1 for _ in _folders(data, "task.toml"))


def read_splits(data: Path) -> dict[str, tuple[str, ...]]:
    """Return the splits of splits.toml by name; none if the file is not there."""
    path = data / SPLITS_FILE
    return parse_toml(path.read_bytes(), SplitTable, str(path)).root if path.is_file() else {}


def _folders(data: Path, marker: str) -> Iterator[Path]:
    """The folders with this file, in alphabetical order."""
    return (path.parent for path in sorted(data.glob(f"*/{marker}")))


def _certified(task: Task, path: Path) -> Task:
    if not path.is_file():
        return task
    return task.model_copy(update={"certificate": Certificate.model_validate_json(path.read_bytes())})
