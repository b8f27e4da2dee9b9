"""The benchmarks, each a package of its own, and `load_suite`, which finds a suite by name or folder.

What a benchmark is: `assay.protocols.Benchmark`. How one is found: `registry`.
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
    """A suite by its name, or a folder of task folders, or one task folder.

    A selection may stand behind the name, as in `demo?n=2&sample=20&seed=0`.
    """
    name, wanted = _split(name, selection)
    if isinstance(name, str) and is_benchmark(name):
        return find_benchmark(name).load(wanted)
    return _load_folder(name).select(wanted)


def list_suite(
    name: str | Path, selection: Selection | None = None, source: Path | None = None
) -> TaskReport:
    """The tasks of a suite as a report; `source` is a folder with its data, in place of the cache."""
    name, wanted = _split(name, selection)
    if isinstance(name, str) and is_benchmark(name):
        return find_benchmark(name).listing(wanted, source)
    if source is not None:
        raise UsageError(f"{str(name)!r} is a folder, so it takes no --source", hint="leave --source out")
    return TaskTable(_load_folder(name).select(wanted))


def _split(name: str | Path, selection: Selection | None) -> tuple[str | Path, Selection]:
    """The plain name, and the selection that was given or that stands behind the name."""
    if isinstance(name, str) and "?" in name:
        name, _, query = name.partition("?")
        selection = selection or parse_selection(query)
    return name, selection or Selection()


def _load_folder(name: str | Path) -> Suite:
    folder = Path(name)
    folders = (
        [folder] if (folder / "task.toml").is_file() else sorted(p.parent for p in folder.glob("*/task.toml"))
    )
    if not folders:
        raise UsageError(
            f"{str(name)!r} is neither a suite nor a folder of tasks",
            hint=f"suites: {names_in_words()}",
        )
    return from_folders(folder.resolve().name, str(folder.resolve()), folders)
