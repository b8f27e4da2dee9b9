"""A suite: a named set of tasks, cut down by a selection or read from task folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from assay.errors import TaskError, UsageError
from assay.masking.dial import Flow, FunctionChoice, SampleManifest, Selection, draw_from_tasks
from assay.tasks.files import read_plain
from assay.tasks.folder import MOST_TEXT, load_task
from assay.tasks.metric import Strict
from assay.tasks.model import Task, explain

MANIFEST = "manifest.json"
"""What was drawn, beside the folders of tasks that were made from it."""


class Suite(Strict):
    """A named set of tasks."""

    name: str
    source: str
    """What it was loaded by: its name, or its folder."""
    tasks: list[Task]
    certificates: dict[str, str] = {}
    """Task id → the file in which its certificate is kept."""
    flow: dict[str, Flow] = {}
    """Task id → whether its functions feed each other, where that is known."""
    needs: dict[str, str] = {}
    """Task id → what this suite cannot bring along: a GPU, weights, data."""
    manifest: SampleManifest | None = None
    """How the tasks were drawn, where they were."""

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

    def select(self, selection: Selection) -> Suite:
        """The suite cut down by n, and to a seeded sample of what is left."""
        if selection.ids:
            return self.only(selection.ids)
        if selection.split is not None:
            raise UsageError(f"suite {self.name!r} has no splits", hint="leave the split out")
        if selection == Selection():
            return self
        candidates = [
            FunctionChoice(task.id, task.id.rpartition("_")[0], len(task.assay.masks), self.flow.get(task.id))
            for task in self.tasks
            if task.assay.masks
        ]
        drawn = draw_from_tasks(candidates, selection)
        kept = {each.id for each in drawn.tasks}
        tasks = [task for task in self.tasks if task.id in kept]
        return self.model_copy(update={"tasks": tasks, "manifest": drawn})


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
    drawn = _manifest(Path(source) / MANIFEST)
    flow = {task_id: found for task_id, found in drawn.flows.items() if task_id in places} if drawn else {}
    return Suite(
        name=name,
        source=source,
        tasks=list(tasks.values()),
        certificates=places,
        flow=flow,
        manifest=drawn,
    )


def _manifest(path: Path) -> SampleManifest | None:
    """The manifest beside the task folders; a file of that name that is none is refused."""
    if not os.path.lexists(path):
        return None
    data = read_plain(path, str(path), MOST_TEXT)
    try:
        return SampleManifest.model_validate_json(data)
    except ValidationError as error:
        raise TaskError(str(path), explain(error), hint="remove it, or draw the sample again") from None
