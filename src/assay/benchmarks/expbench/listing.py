"""Lists the published tasks: what each is, which splits it belongs to, what it needs, what is graded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.benchmarks.expbench.fetching import lock_file, repository_origin
from assay.benchmarks.expbench.gold_runs import gold_runs, runs_without_gpu
from assay.benchmarks.expbench.records import Record, Records, Type
from assay.benchmarks.expbench.splits import SPLITS, members, names_weights
from assay.sandbox.gpu.devices import gpu_numbers


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
    gold: str = ""
    """What is known about running the published solution; empty if it was not tried."""


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
            gold=gold_runs()[task.id].summary if task.id in gold_runs() else "",
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
    if paper.gpus and not runs_without_gpu(task.id):
        yield f"GPUs, as declared: {paper.gpus}"
    if paper.api and not runs_without_gpu(task.id):
        yield f"a service, as declared: {paper.api}"
    if names_weights(task) and not runs_without_gpu(task.id):
        yield "weights that its text names"


def lacking(task: Record) -> str:
    """Return what a task declares and this machine does not have; empty if nothing is known to be missing."""
    paper, parts = task.paper, []
    if paper.pin is None or not lock_file(paper.pin).is_file():
        parts.append(f"its environment is not built (`assay env build --paper {paper.name}`)")
    if runs_without_gpu(task.id):
        return "; ".join(parts)
    if paper.gpus not in ("", "unknown") and not gpu_numbers():
        parts.append(f"it declares GPUs ({paper.gpus})")
    if paper.api not in ("", "unknown"):
        parts.append(f"it declares a service ({paper.api}), which its sandbox does not reach")
    known = gold_runs().get(task.id)
    if known is not None and known.status == "network":
        parts.append("its published solution downloads data, and its sandbox has no network")
    return "; ".join(parts)
