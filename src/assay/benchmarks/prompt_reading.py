"""Benchmarks whose prompts a reader can look through for the outcome."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

from assay.protocols import BenchmarkReport


@runtime_checkable
class PromptReadingSource(Protocol):
    """A benchmark that has the outcome as data, so that a reader can be asked what its prompts say of it."""

    def read_prompts(self, source: Path | None, judge_model: str, limit: int | None) -> BenchmarkReport:
        """Ask a reader what the prompts of so many tasks, evenly from all, say about the outcome."""
        ...
