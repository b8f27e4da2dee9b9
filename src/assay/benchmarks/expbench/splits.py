"""Splits of EXP-Bench, each by a rule: `full`, `lite` (one task a paper), `cpu` (no GPU, no weights).

`lite`: within each difficulty, as many papers are given to each type as the type has tasks there, in
proportion. Papers with the fewest types choose first, each the type that it has and that lacks most; of the
paper's tasks of that type the first by SHA-256 of `algorithm:seed:id` is taken. Duplicates are passed over.

`cpu`: all tasks of the papers whose metadata declares no GPU and no paid service, and none of whose tasks
names pretrained weights or checkpoints. The metadata is a model's reading of the repository, so that the
rule leaves out papers whose code would run on a CPU after all; it lets none in that declares a GPU.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from assay.benchmarks.expbench.papers import Paper
from assay.benchmarks.expbench.records import Record, Records, Type
from assay.errors import UsageError
from assay.masking.dial import allocate_places

Split = Literal["full", "lite", "cpu"]
SPLITS: tuple[Split, ...] = get_args(Split)
ALGORITHM = "assay-lite-1"
"""Changes whenever the same seed would draw another `lite`."""
WEIGHTS = re.compile(
    r"pre-?trained|checkpoint|from_pretrained|\.(?:pth?|ckpt|safetensors|bin)\b|model weights|hugging ?face",
    re.IGNORECASE,
)


def members(records: Records, split: str, seed: int = 0) -> list[Record]:
    """The tasks of a split, in the order of the whole."""
    if split not in SPLITS:
        raise UsageError(f"EXP-Bench has no split {split!r}", hint=f"splits: {', '.join(SPLITS)}")
    if split == "lite":
        chosen = _lite(records, seed)
        return [task for task in records.tasks if task.id in chosen]
    if split == "cpu":
        names = {paper.name for paper in records.papers.values() if needs_only_a_cpu(records, paper)}
        return [task for task in records.tasks if task.paper.name in names]
    return list(records.tasks)


def needs_only_a_cpu(records: Records, paper: Paper) -> bool:
    """Whether a paper's tasks need neither GPU, nor paid services, nor weights, by what was published."""
    return not paper.gpus and not paper.api and not any(map(names_weights, records.of(paper)))


def names_weights(task: Record) -> bool:
    """Whether a task's words name weights that the repository does not make itself."""
    return bool(WEIGHTS.search("\n".join((task.prompt, task.usage, *task.requirements))))


def _lite(records: Records, seed: int) -> set[str]:
    chosen: set[str] = set()
    strata: dict[int | None, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for task in records.tasks:
        if not any(each.kind == "duplicate" for each in task.defects):
            strata[task.paper.difficulty][task.paper.name].append(task)
    for papers in strata.values():
        sizes = Counter(task.type for tasks in papers.values() for task in tasks)
        places = Counter(allocate_places(sizes, len(papers)))
        for tasks in sorted(papers.values(), key=lambda tasks: _turn(tasks, seed)):
            wanted = max(_types(tasks), key=lambda each: (places[each], each))
            places[wanted] -= 1
            fitting = [task for task in tasks if task.type == wanted]
            chosen.add(min(fitting, key=lambda task: _hash(seed, task.id)).id)
    return chosen


def _turn(tasks: Sequence[Record], seed: int) -> tuple[int, str]:
    return len(_types(tasks)), _hash(seed, tasks[0].paper.name)


def _types(tasks: Iterable[Record]) -> list[Type]:
    return sorted({task.type for task in tasks})


def _hash(seed: int, text: str) -> str:
    return hashlib.sha256(f"{ALGORITHM}:{seed}:{text}".encode()).hexdigest()
