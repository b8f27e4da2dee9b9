"""A suite: a named set of tasks, reduced by a selection or read from task folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from assay.errors import TaskError, UsageError
from assay.masking.dial import Flow, FunctionChoice, SampleManifest, Selection, draw_from_tasks
from assay.tasks.files import read_plain
from assay.tasks.folder import MOST_TEXT, load_task
from assay.tasks.metric import Strict
from assay.tasks.model import Task, explain

MANIFEST = "manifest.json"
"""The file that says how tasks were sampled, next to the task folders."""
SPLITS = "splits.json"
"""The file that says to which part of the suite each task belongs, next to the task folders."""


class Suite(Strict):
    """A named set of tasks."""

    name: str
    source: str
    """The name or the folder by which it was loaded."""
    tasks: list[Task]
    certificates: dict[str, str] = {}
    """Task id → the file of its certificate."""
    flow: dict[str, Flow] = {}
    """Task id → whether its functions use each other's results, if this is known."""
    needs: dict[str, str] = {}
    """Task id → what the task needs but the suite does not provide: a GPU, weights, data."""
    lacking: dict[str, str] = {}
    """Task id → what the task declares and this machine does not have; its failures count as the task's."""
    manifest: SampleManifest | None = None
    """How the tasks were sampled; None if they were not sampled."""
    splits: dict[str, str] = {}
    """Task id → the part of the suite that it belongs to, such as train or test."""

    def only(self, ids: Sequence[str] = (), limit: int | None = None) -> Suite:
        """Return the suite with only some tasks, in the suite's order."""
        task_ids = {task.id for task in self.tasks}
        for task_id in ids:
            if task_id not in task_ids:
                raise UsageError(
                    f"suite {self.name!r} has no task {task_id!r}",
                    hint=f"it has: {', '.join(sorted(task_ids))}",
                )
        tasks = [task for task in self.tasks if not ids or task.id in ids]
        return self.model_copy(update={"tasks": tasks[:limit]})

    def select(self, selection: Selection) -> Suite:
        """Return the suite with only the tasks of a selection: by id, or by n and a seeded sample."""
        refuse_prompts(self.name, selection)
        if selection.ids:
            return self.only(selection.ids)
        if selection.split is not None:
            return self._part(selection.split).select(selection.model_copy(update={"split": None}))
        if selection == Selection():
            return self
        candidates = [
            FunctionChoice(task.id, task.id.rpartition("_")[0], len(task.assay.masks), self.flow.get(task.id))
            for task in self.tasks
            if task.assay.masks
        ]
        manifest = draw_from_tasks(candidates, selection)
        if not manifest.tasks:
            known_counts = sorted({candidate.n for candidate in candidates})
            raise UsageError(
                f"suite {self.name!r} has no task with n = {', '.join(map(str, selection.n or ()))}",
                hint=f"it has n = {', '.join(map(str, known_counts))}"
                if known_counts
                else "it masks no function",
            )
        sampled_ids = {choice.id for choice in manifest.tasks}
        tasks = [task for task in self.tasks if task.id in sampled_ids]
        return self.model_copy(update={"tasks": tasks, "manifest": manifest})

    def _part(self, split: str) -> Suite:
        """Return the suite with only the tasks of one part."""
        parts = sorted(set(self.splits.values()))
        if not parts:
            raise UsageError(f"suite {self.name!r} has no splits", hint="leave the split out")
        if split not in parts:
            raise UsageError(
                f"suite {self.name!r} has no split {split!r}", hint=f"it has: {', '.join(parts)}"
            )
        tasks = [task for task in self.tasks if self.splits.get(task.id) == split]
        return self.model_copy(update={"tasks": tasks})


def refuse_prompts(suite: str, selection: Selection) -> None:
    """Raise an error if a selection asks for published prompts of a suite that never changes its prompts."""
    if selection.prompts != "redacted":
        raise UsageError(
            f"suite {suite!r} has no published prompts beside its own", hint="leave prompts=… out"
        )


def from_folders(name: str, source: str, folders: Sequence[Path]) -> Suite:
    """Load a suite from task folders; each task's certificate is in its folder."""
    tasks = {folder: load_task(folder) for folder in folders}
    ids = [task.id for task in tasks.values()]
    duplicates = sorted({task_id for task_id in ids if ids.count(task_id) > 1})
    if duplicates:
        raise UsageError(
            f"{source}: two tasks have the id {duplicates[0]!r}", hint="change [metadata.assay] id of one"
        )
    certificates = {task.id: str(folder / "certificate.json") for folder, task in tasks.items()}
    manifest = _manifest(Path(source) / MANIFEST)
    flow = (
        {task_id: task_flow for task_id, task_flow in manifest.flows.items() if task_id in certificates}
        if manifest
        else {}
    )
    return Suite(
        name=name,
        source=source,
        tasks=list(tasks.values()),
        certificates=certificates,
        flow=flow,
        manifest=manifest,
        splits=_splits(Path(source) / SPLITS),
    )


def _splits(path: Path) -> dict[str, str]:
    """Read the parts of the suite next to the task folders; raise an error if the file is not valid."""
    if not os.path.lexists(path):
        return {}
    try:
        return TypeAdapter(dict[str, str]).validate_json(read_plain(path, str(path), MOST_TEXT))
    except ValidationError as error:
        raise TaskError(str(path), explain(error), hint="remove it, or collect the suite again") from None


def _manifest(path: Path) -> SampleManifest | None:
    """Read the manifest next to the task folders; raise an error if the file is not a valid manifest."""
    if not os.path.lexists(path):
        return None
    data = read_plain(path, str(path), MOST_TEXT)
    try:
        return SampleManifest.model_validate_json(data)
    except ValidationError as error:
        raise TaskError(str(path), explain(error), hint="remove it, or draw the sample again") from None
