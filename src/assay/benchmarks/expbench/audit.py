"""Finds what is wrong with EXP-Bench's published tasks, and where, and counts what can be graded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.benchmarks.expbench.records import DefectKind, Records

CLAIMED = "over 12,000"
"""Gradable items, as the paper states."""

Kind = DefectKind | Literal["paths", "unpinned", "answerless", "unmasked"]


@dataclass(frozen=True)
class RecordsFinding:
    """One thing that is wrong, or worth knowing."""

    kind: Kind
    """The kinds of a record's defects, and: paths: the named files exist at no commit. unpinned: no commit is
    known. answerless: no implementation was found. unmasked: the named source stays in the workspace."""
    place: str
    text: str


def audit(records: Records) -> list[RecordsFinding]:
    """Return every finding: first of the tasks in their order, then of the papers."""
    return [*_tasks(records), *_papers(records)]


def gradable(records: Records) -> dict[str, int]:
    """Count the items to grade in each phase, over all tasks."""
    total: Counter[str] = Counter()
    for task in records.tasks:
        total.update(task.gradable)
    return dict(total)


def _tasks(records: Records) -> Iterator[RecordsFinding]:
    for task in records.tasks:
        for defect in task.defects:
            yield RecordsFinding(defect.kind, task.id, defect.text)
        if task.type == "T3":
            why = " ".join((task.no_answer or "").split())
            yield RecordsFinding("answerless", task.id, f"no implementation was found: {why[:200]}")
        if task.type == "T2":
            yield RecordsFinding(
                "unmasked", task.id, f"nothing is masked, {', '.join(task.source)} can be read"
            )


def _papers(records: Records) -> Iterator[RecordsFinding]:
    for paper in records.papers.values():
        pin = paper.pin
        if pin is None or pin.commit is None:
            repository = pin.repository if pin else "its repository"
            yield RecordsFinding("unpinned", paper.name, f"no commit of {repository} could be found")
        elif pin.paths_present is not None and pin.paths_present < pin.paths_named:
            missing = pin.paths_named - pin.paths_present
            text = f"{missing} of {pin.paths_named} named paths exist at no commit up to 2025-05-30"
            yield RecordsFinding("paths", paper.name, f"{text}; pinned is {pin.commit[:12]} of {pin.date}")
