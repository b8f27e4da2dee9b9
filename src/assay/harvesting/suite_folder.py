"""Collects the certified tasks of all packages into one suite folder, with its index and its data card."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from assay.benchmarks.suite import MANIFEST, SPLITS
from assay.files import publish, publishing
from assay.harvesting.data_card import data_card
from assay.harvesting.difficulty import split_packages, with_difficulty
from assay.harvesting.duplicates import mark_duplicates
from assay.harvesting.one_package import MASKED
from assay.harvesting.records import HarvestedTask, PackageRecord
from assay.masking.dial import FunctionChoice, SampleManifest, Selection, draw_from_tasks
from assay.tasks import Task, load_task

INDEX = "harvest.json"
CARD = "README.md"


def collect_suite(
    out: Path,
    records: Sequence[PackageRecord],
    pending: Sequence[str],
    weak_model: Mapping[str, float] | None = None,
    seed: int = 0,
) -> list[HarvestedTask]:
    """Write the suite and return all certified tasks, the duplicates among them too.

    `pending` are the packages that the harvest has not finished.
    """
    folders = {
        task.id: out / "packages" / record.name / MASKED / "tasks" / task.id.replace(",", "-")
        for record in records
        for task in record.tasks
    }
    loaded = {task_id: load_task(folder) for task_id, folder in folders.items()}
    tasks = mark_duplicates([task for record in records for task in record.tasks], loaded)
    suite_tasks = [task for task in tasks if not task.duplicate_of]
    splits = split_packages({task.package for task in suite_tasks}, seed)
    rated = {
        task.id: task.model_copy(update={"split": splits[task.package]})
        for task in with_difficulty(suite_tasks, weak_model)
    }
    tasks = [rated.get(task.id, task) for task in tasks]
    _write_tasks(out, {task_id: folders[task_id] for task_id in rated})
    _write_index(out, tasks, records, loaded)
    publish(out / CARD, data_card(tasks, records, pending))
    return tasks


def _write_tasks(out: Path, folders: Mapping[str, Path]) -> None:
    """Copy new tasks, and remove those of an earlier harvest that are no longer in the suite."""
    names = {folder.name for folder in folders.values()}
    for name in _earlier_names(out) - names:
        shutil.rmtree(out / name, ignore_errors=True)
    for folder in folders.values():
        target = out / folder.name
        if not (target / "task.toml").is_file():
            with publishing(target) as partial:
                shutil.copytree(folder, partial)


def _earlier_names(out: Path) -> set[str]:
    """Return the folders that an earlier harvest wrote; any other folder belongs to the user."""
    try:
        earlier = SampleManifest.model_validate_json((out / MANIFEST).read_bytes())
    except (FileNotFoundError, ValidationError):
        return set()
    return {task.id.replace(",", "-") for task in earlier.tasks}


def _write_index(
    out: Path, tasks: Sequence[HarvestedTask], records: Sequence[PackageRecord], loaded: Mapping[str, Task]
) -> None:
    suite_tasks = [task for task in tasks if not task.duplicate_of]
    choices = [
        FunctionChoice(task.id, task.id.rpartition("_")[0], len(loaded[task.id].assay.masks), task.flow)
        for task in suite_tasks
    ]
    manifest = draw_from_tasks(choices, Selection())
    publish(out / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
    publish(out / SPLITS, json.dumps({task.id: task.split for task in suite_tasks}, indent=2) + "\n")
    index = {
        "tasks": [task.model_dump() for task in tasks],
        "packages": [record.model_dump(exclude={"tasks"}) for record in records],
    }
    publish(out / INDEX, json.dumps(index, indent=2) + "\n")
