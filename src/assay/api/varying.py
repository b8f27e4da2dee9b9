"""New variants of tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assay.api.event_loop import outside_event_loop
from assay.api.listening import ignore_line
from assay.api.proving import certify as prove
from assay.errors import UsageError
from assay.tasks import Certificate
from assay.varying import VariedTask, find_folders, vary_folder


@dataclass(frozen=True)
class VaryResult:
    """The variants that were made."""

    seed: int
    tasks: list[VariedTask]
    left_out: list[str]
    """Folders without `vary.py`."""
    certificates: list[Certificate] = field(default_factory=list)
    """The proofs of the new tasks; empty if they were not certified."""


@outside_event_loop
def vary(
    suite: str | Path,
    out: str | Path,
    *,
    seed: int,
    certify: bool = False,
    on_step: Callable[[str], None] | None = None,
) -> VaryResult:
    """Write a new variant of every task that can be varied into `out`: a suite, `suite/id` or a folder.

    A folder with `vary.py` can be varied. The same seed gives the same tasks. The solution is run to make
    the gold numbers again. With `certify`, each new task is proved and gets its certificate.
    """
    target = Path(out)
    if target.exists() and any(target.iterdir()):
        raise UsageError(f"{target} is not empty, expected a new folder", hint="name another one with --out")
    folders = find_folders(suite)
    sources = [source for source in folders if source.can_vary]
    if not sources:
        raise UsageError(
            f"no task of {str(suite)!r} can be varied: no folder has a vary.py",
            hint="docs/reference/task-folder.md says how to write one",
        )

    async def vary_all() -> list[VariedTask]:
        varied = []
        for source in sources:
            varied += await vary_folder(source, seed, target, on_step or ignore_line)
        return varied

    tasks = asyncio.run(vary_all())
    left_out = [source.folder.name for source in folders if not source.can_vary]
    if certify and on_step is not None:
        on_step(f"certifying {len(tasks)} tasks")
    certificates = prove(target, logs=target / "certify") if certify else []
    return VaryResult(seed, tasks, left_out, certificates)
