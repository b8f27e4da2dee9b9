"""EXP-Bench (arXiv 2505.24785): 461 published experiments of 51 papers, made from its own task files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from assay.benchmarks.expbench.fetching import (
    Origin,
    environment_command,
    fetch,
    fetch_repository,
    fetched,
    lock_file,
    read_lock,
    read_repository,
    repository_files,
    repository_origin,
    require,
    state,
)
from assay.benchmarks.expbench.listing import ListedTask, lacking, listing
from assay.benchmarks.expbench.making import MadeTask, make_task
from assay.benchmarks.expbench.papers import Paper, Pin, pin_of, pins
from assay.benchmarks.expbench.records import Record, Records, read_records
from assay.benchmarks.expbench.solution import find_runnable
from assay.benchmarks.expbench.splits import DEFAULT_SPLIT, SPLITS, members
from assay.benchmarks.suite import Suite
from assay.errors import UsageError
from assay.tasks.selection import Selection
from assay.workspace.building import TaskPath

__all__ = [
    "SPLITS",
    "ListedTask",
    "MadeTask",
    "Origin",
    "Paper",
    "Pin",
    "Record",
    "Records",
    "environment_command",
    "fetch",
    "fetch_repository",
    "fetched",
    "listing",
    "load",
    "lock_file",
    "make_task",
    "members",
    "pin_of",
    "pins",
    "planned",
    "read_lock",
    "read_records",
    "repository_files",
    "require",
    "select_records",
    "task_path",
]

NAME = "expbench"


def load(selection: Selection) -> Suite:
    """Make the selected tasks; every repository that can be fetched must be in the cache.

    If only a part of a split were loaded, its score would not be the score of the split. Tasks of papers
    without a pin are left out, and `needs` lists them.
    """
    return _load(selection, require(), state())


def planned(selection: Selection) -> Suite:
    """Make the selected tasks with empty files in place of their repositories: enough for a plan."""
    tasks = []
    for record in select_records(read_records(require()), selection):
        names = [path for path in (*record.source, *record.masked) if "*" not in path]
        tree = {"README.md": b"", **dict.fromkeys(names, b"")}
        tasks.append(make_task(record, tree, None, selection.prompts).task)
    return Suite(name=NAME, source=NAME, tasks=tasks, certificates={})


def select_records(records: Records, selection: Selection) -> list[Record]:
    """Return the selected records: tasks or whole papers by id, or a split or a sample of it."""
    if selection.n is not None:
        raise UsageError("EXP-Bench has no n", hint="write ?split=lite, or --split lite")
    if selection.ids:
        names = {name for record in records.tasks for name in (record.id, record.paper.name)}
        for name in selection.ids:
            if name not in names:
                raise UsageError(
                    f"suite {NAME!r} has no task {name!r}",
                    hint="ids are CONFERENCE/PAPER/NUMBER, or CONFERENCE/PAPER for all tasks of a paper",
                )
        named = set(selection.ids)
        return [record for record in records.tasks if named & {record.id, record.paper.name}]
    split_records = members(records, selection.split or DEFAULT_SPLIT, selection.seed)
    if selection.sample is None:
        return split_records
    first = sorted(split_records, key=lambda record: _hash(selection.seed, record.id))[: selection.sample]
    return [record for record in split_records if record in first]


@cache
def _load(selection: Selection, folder: Path, _state: tuple[tuple[str, int], ...]) -> Suite:
    """Make the tasks once for each state of the cache."""
    records = read_records(folder)
    selected = select_records(records, selection)
    pinned = [(record, record.paper.pin) for record in selected if record.paper.pin is not None]
    available = [(record, pin) for record, pin in pinned if repository_origin(pin)]
    fetchable = [record for record, pin in pinned if pin.commit and not repository_origin(pin)]
    if fetchable or not available:
        raise _not_here(fetchable or selected)
    trees: dict[str, Mapping[str, bytes]] = {}
    tasks = []
    for record, pin in available:
        if pin.name not in trees:
            trees[pin.name] = read_repository(pin)
        tasks.append(make_task(record, trees[pin.name], read_lock(pin), selection.prompts).task)
    selected_ids = {record.id for record in selected}
    query = selection.query()
    return Suite(
        name=NAME,
        source=f"{NAME}?{query}" if query else NAME,
        tasks=tasks,
        certificates={
            task.id: str(folder.parent / "certificates" / f"{task.id.replace('/', '-')}.json")
            for task in tasks
        },
        needs={row.id: row.needs for row in listing(records) if row.id in selected_ids and row.needs},
        lacking={record.id: missing for record, _ in available if (missing := lacking(record))},
    )


def task_path(pin: Pin) -> TaskPath | None:
    """Return what the tasks of a paper start; None if none of them has a command, or no task is fetched."""
    if fetched() is None:
        return None
    tree = read_repository(pin)
    records = [record for record in read_records(require()).tasks if record.paper.name == pin.name]
    runnables = [find_runnable(record, tree) for record in records]
    entries = dict.fromkeys(entry for runnable in runnables for entry in runnable.entries(tree))
    if not entries:
        return None
    return TaskPath(
        tuple(entries),
        tuple(dict.fromkeys(command for runnable in runnables for command in runnable.commands)),
        tuple(dict.fromkeys(folder for runnable in runnables for folder in runnable.search)),
    )


def _not_here(missing: list[Record]) -> UsageError:
    names = list(dict.fromkeys(record.paper.name for record in missing))
    first = next((name for name in names if pin_of(name).commit), names[0])
    return UsageError(
        f"{len(missing)} tasks of {NAME!r} cannot be made: the repositories of {', '.join(names[:4])}"
        f"{' and others' if len(names) > 4 else ''} are not fetched",
        hint=f"`assay fetch expbench --paper {first}` clones one, {first}=FOLDER uses a local copy; select"
        " fetched papers by name, as in expbench?ids=CONFERENCE/PAPER",
    )


def _hash(seed: int, text: str) -> str:
    return hashlib.sha256(f"assay-expbench-1:{seed}:{text}".encode()).hexdigest()
