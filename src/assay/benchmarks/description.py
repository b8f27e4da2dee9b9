"""What a benchmark says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from assay.tasks.kinds import Kind


@dataclass(frozen=True)
class Description:
    """A benchmark in a few facts; what is not known is None."""

    name: str
    summary: str
    """One sentence."""
    tasks: int | None = None
    """How many tasks it has, as far as this is known without making them."""
    missing: str | None = None
    """What to do before its tasks can be made; None where they can be made now."""
    fetch: str | None = None
    """The command that brings it; None where everything is installed already."""
    splits: tuple[str, ...] = ()
    """Names of its parts, for `?split=NAME`."""
    licence: str | None = None
    quick_tasks: Mapping[Kind, str] = field(default_factory=dict)
    """Kind → the task of this kind that is graded soonest."""


@dataclass(frozen=True)
class PaperSource:
    """A paper's code, from which `assay env build --paper` builds an environment."""

    repository: Path
    before: date
    """No release after this day is installed."""
    lock: Path
    """Where the benchmark looks for the finished lock."""
