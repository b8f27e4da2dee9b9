"""The splits of EXP-Bench and their rules: `clean`, `full`, `lite` (one task per paper), `cpu` (no GPU).

`clean`, the default: all tasks but those that contain another paper's text. `full` contains these too.

`lite`: within each difficulty, the types share the papers in proportion to their tasks. Papers with the
fewest types choose first: each takes, of its own types, the type that still needs the most papers. Of the
paper's tasks of that type, the first by SHA-256 of `algorithm:seed:id` is taken. Duplicates and
tasks with another paper's text are skipped, so a paper that has only such tasks is not in it.

`cpu`: all tasks of the papers whose metadata declares no GPU and no paid service, and whose tasks name no
pretrained weights or checkpoints; and every other task whose published solution was seen to run without a GPU
within an hour on two cores (`gold_runs`). A model wrote the metadata from the repository, so it names GPUs
for code that runs without one.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from assay.benchmarks.expbench.gold_runs import runs_without_gpu
from assay.benchmarks.expbench.papers import Paper
from assay.benchmarks.expbench.records import Record, Records, Type
from assay.errors import UsageError
from assay.masking.dial import allocate_places

Split = Literal["clean", "full", "lite", "cpu"]
SPLITS: tuple[Split, ...] = get_args(Split)
DEFAULT_SPLIT: Split = "clean"
ALGORITHM = "assay-lite-2"
"""Changes whenever the same seed would give a different `lite`."""
WEIGHTS = re.compile(
    r"pre-?trained|checkpoint|from_pretrained|\.(?:pth?|ckpt|safetensors|bin)\b|model weights|hugging ?face",
    re.IGNORECASE,
)


def members(records: Records, split: str, seed: int = 0) -> list[Record]:
    """Return the tasks of a split, in their published order."""
    if split not in SPLITS:
        raise UsageError(f"EXP-Bench has no split {split!r}", hint=f"splits: {', '.join(SPLITS)}")
    if split == "lite":
        task_ids = _lite(records, seed)
        return [task for task in records.tasks if task.id in task_ids]
    if split == "cpu":
        names = {paper.name for paper in records.papers.values() if needs_only_a_cpu(records, paper)}
        return [
            task
            for task in records.tasks
            if not task.is_foreign and (task.paper.name in names or runs_without_gpu(task.id))
        ]
    return [task for task in records.tasks if split == "full" or not task.is_foreign]


def needs_only_a_cpu(records: Records, paper: Paper) -> bool:
    """Whether a paper's tasks need no GPU, no paid service and no weights, according to the metadata."""
    return not paper.gpus and not paper.api and not any(map(names_weights, records.of(paper)))


def names_weights(task: Record) -> bool:
    """Whether a task's text names weights that the repository does not make itself."""
    return bool(WEIGHTS.search("\n".join((task.prompt, task.usage, *task.requirements))))


def _lite(records: Records, seed: int) -> set[str]:
    task_ids: set[str] = set()
    strata: dict[int | None, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for task in records.tasks:
        if not task.is_foreign and not any(defect.kind == "duplicate" for defect in task.defects):
            strata[task.paper.difficulty][task.paper.name].append(task)
    for papers in strata.values():
        sizes = Counter(task.type for tasks in papers.values() for task in tasks)
        places = Counter(allocate_places(sizes, len(papers)))
        for tasks in sorted(papers.values(), key=lambda tasks: _turn(tasks, seed)):
            task_type = max(_types(tasks), key=lambda candidate: (places[candidate], candidate))
            places[task_type] -= 1
            fitting = [task for task in tasks if task.type == task_type]
            task_ids.add(min(fitting, key=lambda task: _hash(seed, task.id)).id)
    return task_ids


def _turn(tasks: Sequence[Record], seed: int) -> tuple[int, str]:
    return len(_types(tasks)), _hash(seed, tasks[0].paper.name)


def _types(tasks: Iterable[Record]) -> list[Type]:
    return sorted({task.type for task in tasks})


def _hash(seed: int, text: str) -> str:
    return hashlib.sha256(f"{ALGORITHM}:{seed}:{text}".encode()).hexdigest()
