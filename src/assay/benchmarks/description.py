"""What a benchmark says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from assay.tasks.kinds import Kind
from assay.workspace.building.task_path import TaskPath


@dataclass(frozen=True)
class Description:
    """The main facts about a benchmark; unknown facts are None."""

    name: str
    summary: str
    """One sentence."""
    tasks: int | None = None
    """How many tasks it has, if this is known without making them."""
    missing: str | None = None
    """What to do before its tasks can be made; None if they can be made now."""
    fetch: str | None = None
    """The command that fetches it; None if everything is already installed."""
    splits: tuple[str, ...] = ()
    """Names of its parts, for `?split=NAME`."""
    licence: str | None = None
    quick_tasks: Mapping[Kind, str] = field(default_factory=dict)
    """Kind → the task of this kind that is graded fastest."""


@dataclass(frozen=True)
class PaperSource:
    """A paper's code, from which `assay env build --paper` builds an environment."""

    repository: Path
    before: date
    """Only releases up to this day are installed."""
    lock: Path
    """Where the benchmark expects the finished lock."""
    task_path: TaskPath | None = None
    """What its tasks start; None if that is not known."""
