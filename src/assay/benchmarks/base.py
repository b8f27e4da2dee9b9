"""A benchmark with defaults: a subclass adds what it can do; everything else raises a clear error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from assay.benchmarks.description import Description, PaperSource
from assay.benchmarks.fetch_request import FetchRequest
from assay.benchmarks.suite import Suite, from_folders
from assay.benchmarks.task_table import TaskTable
from assay.errors import UsageError
from assay.protocols import BenchmarkReport, TaskReport
from assay.tasks.kinds import Kind
from assay.tasks.selection import Selection

if TYPE_CHECKING:
    from assay.grading.reading.labelled_readings import LabelledReading


class BaseBenchmark:
    """A benchmark whose tasks are the task folders below `folder`, unless `load` is overridden."""

    name: str
    summary: str
    folder: Path
    fetch_command: ClassVar[str | None] = None
    splits: ClassVar[tuple[str, ...]] = ()
    licence: ClassVar[str | None] = None
    quick_tasks: ClassVar[Mapping[Kind, str]] = {}

    def load(self, selection: Selection) -> Suite:
        """Read every task folder, then select."""
        folders = sorted(path.parent for path in self.folder.glob("*/task.toml"))
        if not folders:
            raise UsageError(f"benchmark {self.name!r} has no task folder in {self.folder}")
        suite = from_folders(self.name, str(self.folder), folders)
        return suite.model_copy(update={"source": self.name}).select(selection)

    def count_tasks(self) -> int:
        """Count the tasks; raise a UsageError that says what to do if they are not available."""
        return len(self.load(Selection()).tasks)

    def describe(self) -> Description:
        """Return the facts of the class, and the number of tasks if they are available."""
        tasks, missing = None, None
        try:
            tasks = self.count_tasks()
        except UsageError as error:
            missing = error.hint or error.message
        return Description(
            name=self.name,
            summary=self.summary,
            tasks=tasks,
            missing=missing,
            fetch=self.fetch_command,
            splits=self.splits,
            licence=self.licence,
            quick_tasks=self.quick_tasks,
        )

    def listing(self, selection: Selection, source: Path | None) -> TaskReport:
        """List the tasks as a table."""
        if source is not None:
            with_source = ", ".join(f"`assay suites {name}`" for name in _offering("listing"))
            raise UsageError(f"suite {self.name!r} has no --source", hint=f"{with_source} has one")
        return TaskTable(self.load(selection))

    def fetch(self, request: FetchRequest) -> BenchmarkReport:
        """Raise an error, because everything is installed."""
        names = ", ".join(_offering("fetch"))
        raise UsageError(f"{self.name!r} needs no fetching", hint=f"suites to fetch: {names}")

    def audit(self, source: Path | None, tell: Callable[[str], None]) -> BenchmarkReport:
        """Raise an error, because no rows were published."""
        commands = ", ".join(f"`assay audit {name}`" for name in _offering("audit"))
        raise UsageError(f"{self.name!r} has no published rows to audit", hint=commands)

    def published(self, source: Path | None) -> BenchmarkReport:
        """Raise an error, because no numbers were published."""
        commands = ", ".join(f"`assay published {name}`" for name in _offering("published"))
        raise UsageError(f"{self.name!r} has no published numbers to recompute", hint=commands)

    def labelled_readings(self) -> Sequence[LabelledReading]:
        """Return texts with known answers, to measure a reader; a benchmark without annotations has none."""
        return ()

    def paper(self, name: str) -> PaperSource | None:
        """Return None, because no paper is known."""
        return None


def _offering(method: str) -> list[str]:
    from assay.benchmarks.registry import offering

    return offering(method)
