"""The benchmarks, each in its own package, and `load_suite`, which finds a suite by name or folder.

`assay.protocols.Benchmark` says what a benchmark is; `registry` finds the installed ones.
"""

from __future__ import annotations

from pathlib import Path

from assay.benchmarks.base import BaseBenchmark
from assay.benchmarks.description import Description, PaperSource
from assay.benchmarks.fetch_request import FetchRequest
from assay.benchmarks.registry import (
    DEFAULT_SUITE,
    all_benchmarks,
    benchmark_names,
    find_benchmark,
    find_paper,
    is_benchmark,
    names_in_words,
)
from assay.benchmarks.suite import Suite, from_folders
from assay.benchmarks.task_table import TaskTable
from assay.errors import UsageError
from assay.masking.dial import parse_selection
from assay.protocols import TaskReport
from assay.tasks.selection import Selection

__all__ = [
    "DEFAULT_SUITE",
    "BaseBenchmark",
    "Description",
    "FetchRequest",
    "PaperSource",
    "Suite",
    "TaskTable",
    "all_benchmarks",
    "benchmark_names",
    "find_benchmark",
    "find_paper",
    "is_benchmark",
    "list_suite",
    "load_suite",
]


def load_suite(name: str | Path, selection: Selection | None = None) -> Suite:
    """Load a suite by its name, or from a folder of task folders, or from one task folder.

    A selection may follow the name, as in `demo?n=2&sample=20&seed=0`.
    """
    name, selection = _split(name, selection)
    if isinstance(name, str) and is_benchmark(name):
        return find_benchmark(name).load(selection)
    return _load_folder(name).select(selection)


def list_suite(
    name: str | Path, selection: Selection | None = None, source: Path | None = None
) -> TaskReport:
    """List the tasks of a suite as a report; `source` is a folder to read instead of the cache."""
    name, selection = _split(name, selection)
    if isinstance(name, str) and is_benchmark(name):
        return find_benchmark(name).listing(selection, source)
    if source is not None:
        raise UsageError(f"{str(name)!r} is a folder, so --source cannot be used", hint="leave --source out")
    return TaskTable(_load_folder(name).select(selection))


def _split(name: str | Path, selection: Selection | None) -> tuple[str | Path, Selection]:
    """Return the plain name, and the selection: the argument, or else the one after the name."""
    if isinstance(name, str) and "?" in name:
        name, _, query = name.partition("?")
        queried = parse_selection(query)
        # Options such as --task replace the selection after the name, but not its prompts and its split.
        if selection:
            kept = {"prompts": queried.prompts, "split": selection.split or queried.split}
            queried = selection.model_copy(update=kept)
        selection = queried
    return name, selection or Selection()


def _load_folder(name: str | Path) -> Suite:
    folder = Path(name)
    folders = (
        [folder]
        if (folder / "task.toml").is_file()
        else sorted(path.parent for path in folder.glob("*/task.toml"))
    )
    if not folders:
        raise UsageError(
            f"{str(name)!r} is neither a suite nor a folder of tasks",
            hint=f"suites: {names_in_words()}",
        )
    return from_folders(folder.resolve().name, str(folder.resolve()), folders)
