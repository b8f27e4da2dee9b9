"""AutoExperiment as a benchmark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.benchmarks import autoexperiment
from assay.benchmarks.autoexperiment.audit import audit
from assay.benchmarks.autoexperiment.copies import published_copies
from assay.benchmarks.autoexperiment.published import recompute_autoexperiment
from assay.benchmarks.autoexperiment.reports import RowsAudit, RowsComparison, RowsFetched
from assay.benchmarks.base import BaseBenchmark
from assay.benchmarks.fetch_request import FetchRequest
from assay.benchmarks.suite import Suite
from assay.errors import UsageError
from assay.tasks.selection import Selection


class AutoExperimentBenchmark(BaseBenchmark):
    """Masked functions of four papers' code."""

    name = autoexperiment.NAME
    summary = "AutoExperiment (arXiv 2506.19724): masked functions of four papers' code."
    fetch_command = "assay fetch autoexperiment"

    def load(self, selection: Selection) -> Suite:
        """Make the selected tasks, n = 1 by default."""
        return autoexperiment.load(selection)

    def fetch(self, request: FetchRequest) -> RowsFetched:
        """Fetch the repository; if only papers are given, add their source trees to the cached copy."""
        request.refuse_only(self.name)
        trees = [_tree(paper) for paper in request.papers]
        present = autoexperiment.fetched()
        if trees and present and request.source is None:
            origin = present
        else:
            origin = autoexperiment.fetch(request.source, request.commit)
        for paper_id, folder in trees:
            autoexperiment.add_tree(paper_id, folder)
        return RowsFetched(origin, autoexperiment.require())

    def audit(self, source: Path | None, tell: Callable[[str], None]) -> RowsAudit:
        """Check the published rows against each other and against the source trees."""
        rows = autoexperiment.read_rows(source or autoexperiment.require())
        return RowsAudit(rows, [*audit(rows), *published_copies(rows, tell)])

    def published(self, source: Path | None) -> RowsComparison:
        """Compute pass@1 again, from the published rows if they are available."""
        if source is not None and not source.is_dir():
            raise UsageError(f"there is no folder {str(source)!r}")
        return RowsComparison(recompute_autoexperiment(source or _cached_results()))


def _cached_results() -> Path | None:
    if autoexperiment.fetched() is None:
        return None
    results = autoexperiment.require() / "results"
    return results if results.is_dir() else None


def _tree(text: str) -> tuple[str, Path]:
    paper_id, equals, folder = text.partition("=")
    if not equals or not folder:
        raise UsageError(f"--paper is {text!r}, expected PAPER=FOLDER, such as 2205.00048=./jme")
    return paper_id, Path(folder)
