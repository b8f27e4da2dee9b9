"""Tasks for a plan: what a run will take can be said before everything that the tasks need is fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

from assay.benchmarks import load_suite
from assay.benchmarks.registry import find_benchmark, is_benchmark
from assay.benchmarks.suite import Suite
from assay.tasks.selection import Selection, parse_selection


@runtime_checkable
class PlanningSource(Protocol):
    """A benchmark that can plan without what its tasks need."""

    def planned(self, selection: Selection) -> Suite:
        """Return the selected tasks as far as a plan needs them; they cannot be run."""
        ...


def load_planned(name: str | Path) -> Suite:
    """Load a suite for a plan: without its repositories where the benchmark allows that."""
    plain, _, query = str(name).partition("?")
    if is_benchmark(plain) and isinstance(benchmark := find_benchmark(plain), PlanningSource):
        return benchmark.planned(parse_selection(query))
    return load_suite(name)
