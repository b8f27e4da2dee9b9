"""AutoExperiment (arXiv 2506.19724): the published masked tasks of four papers, made from its rows."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from assay.benchmarks.autoexperiment.fetching import CopyOrigin, add_tree, fetch, fetched, require
from assay.benchmarks.autoexperiment.making import PAPER, SourceTree, make_task, read_source
from assay.benchmarks.autoexperiment.papers import PaperConfig, paper, papers
from assay.benchmarks.autoexperiment.rows import Rows, read_rows
from assay.benchmarks.source_folders import read_file, read_folder
from assay.benchmarks.suite import Suite, refuse_prompts
from assay.errors import TaskError, UsageError
from assay.masking.dial import Selection, draw_sample
from assay.tasks.model import Task

__all__ = [
    "CopyOrigin",
    "PaperConfig",
    "Rows",
    "SourceTree",
    "add_tree",
    "fetch",
    "fetched",
    "load",
    "make_task",
    "paper",
    "papers",
    "read_rows",
    "read_source",
    "require",
    "source_tree",
]

NAME = "autoexperiment"


def load(selection: Selection, folder: Path | None = None) -> Suite:
    """Make the selected tasks (n = 1 by default) from the cached copy or from a folder."""
    refuse_prompts(NAME, selection)
    if selection.split is not None:
        raise UsageError(f"suite {NAME!r} has no splits", hint="it has n: write ?n=2")
    return _load(selection, folder or require())


@cache
def _load(selection: Selection, folder: Path) -> Suite:
    rows = read_rows(folder)
    functions = {
        paper_id: rows.usable(paper_id)
        for paper_id in rows.functions
        if (rows.root / paper_id / "code").is_dir()
    }
    if not functions:
        raise UsageError(
            f"{folder} has rows, but no source tree",
            hint="`assay fetch autoexperiment --paper 2205.00048=FOLDER` adds one",
        )
    sample = None if selection.ids else draw_sample(functions, selection)
    sources = {paper_id: read_source(rows, paper_id, source_tree(rows, paper_id)) for paper_id in functions}
    tasks: list[Task] = []
    for task_id in [choice.id for choice in sample.tasks] if sample else selection.ids:
        paper_id, _, ids = task_id.rpartition("_")
        if paper_id not in sources:
            raise UsageError(
                f"suite {NAME!r} has no task {task_id!r}",
                hint=f"ids are PAPER_FUNCTION,…; papers with a source tree: {', '.join(sources)}",
            )
        tasks.append(make_task(rows, paper_id, ids.split(","), sources[paper_id]))
    query = selection.query()
    lacking = {paper_id: _missing_data(paper_id, source) for paper_id, source in sources.items()}
    papers_of_tasks = {task.id: task.id.rpartition("_")[0] for task in tasks}
    return Suite(
        name=NAME,
        source=f"{NAME}?{query}" if query else NAME,
        tasks=tasks,
        certificates={task.id: str(folder / "certificates" / f"{task.id}.json") for task in tasks},
        needs={task_id: paper(paper_id).needs for task_id, paper_id in papers_of_tasks.items()},
        lacking={task_id: lacking[each] for task_id, each in papers_of_tasks.items() if lacking[each]},
        manifest=sample,
    )


def _missing_data(paper_id: str, source: SourceTree) -> str:
    """Return which data of a paper its source tree does not have; empty if none are known to be missing."""
    folders = [
        folder
        for folder in paper(paper_id).data
        if not any(path.startswith(f"{folder}/") for path in source.tree)
    ]
    return f"its source tree has no files in {', '.join(folders)}" if folders else ""


def source_tree(rows: Rows, paper_id: str) -> dict[str, bytes]:
    """Read a paper's code, unmasked, together with the paper's text."""
    folder = rows.root / paper_id
    tree = read_folder(folder / "code", rows.root, f"{paper_id}/code")
    text = folder / PAPER
    if not tree:
        raise TaskError(f"{paper_id}/code", "is missing or empty, expected the paper's source tree")
    return {**tree, PAPER: read_file(text, rows.root)} if os.path.lexists(text) else tree
