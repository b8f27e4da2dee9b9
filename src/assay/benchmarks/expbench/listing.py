"""Lists the published tasks: what each is, which splits it belongs to, what it needs, what is graded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.benchmarks.expbench.fetching import lock_file, repository_origin
from assay.benchmarks.expbench.records import Record, Records, Type
from assay.benchmarks.expbench.splits import SPLITS, members, names_weights


@dataclass(frozen=True)
class ListedTask:
    """One task."""

    id: str
    type: Type
    title: str
    category: str
    difficulty: int | None
    splits: list[str]
    needs: str
    """What is missing, and how to get it; empty if nothing is missing."""
    gradable: dict[str, int]
    defects: list[str]


def listing(records: Records, seed: int = 0) -> list[ListedTask]:
    """List all tasks, in the order of the files."""
    inside = {split: {task.id for task in members(records, split, seed)} for split in SPLITS}
    fetched_papers = {
        paper.name for paper in records.papers.values() if paper.pin and repository_origin(paper.pin)
    }
    return [
        ListedTask(
            id=task.id,
            type=task.type,
            title=task.paper.title,
            category=task.paper.category,
            difficulty=task.paper.difficulty,
            splits=[split for split in SPLITS if task.id in inside[split]],
            needs="; ".join(_needs(task, task.paper.name in fetched_papers)),
            gradable={**task.gradable, "all": sum(task.gradable.values())},
            defects=sorted({defect.kind for defect in task.defects}),
        )
        for task in records.tasks
    ]


def _needs(task: Record, is_fetched: bool) -> Iterable[str]:
    paper = task.paper
    if task.type == "T3":
        yield "an implementation, because none was found"
    if paper.pin is None or paper.pin.commit is None:
        yield "a commit, because none is pinned"
    elif not is_fetched:
        yield f"its repository (`assay fetch expbench --paper {paper.name}`)"
    elif not lock_file(paper.pin).is_file():
        yield f"an environment (`assay env build --paper {paper.name}`), otherwise it has only Python"
    if paper.gpus:
        yield f"GPUs, as declared: {paper.gpus}"
    if paper.api:
        yield f"a service, as declared: {paper.api}"
    if names_weights(task):
        yield "weights that its text names"
