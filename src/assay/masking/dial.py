"""The dial n: how many functions a task masks together, the count of all choices, and seeded samples.

A sample is drawn by hash: in each stratum (n, paper, data flow) the choices are sorted by SHA-256 of
`algorithm:seed:id`, and the first ones are drawn. So anyone can repeat it in any language, a larger sample
contains the smaller one's choices of a stratum as its quota grows, and no random generator is involved.
Strata get places in proportion to their size, and each stratum gets at least one if there are enough places.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Literal, NamedTuple, TypeVar

from assay.errors import UsageError
from assay.tasks.metric import Strict
from assay.tasks.selection import Selection, parse_n, parse_selection

__all__ = [
    "ALGORITHM",
    "DrawnTask",
    "Flow",
    "FunctionChoice",
    "Pair",
    "SampleManifest",
    "Selection",
    "Stratum",
    "allocate_places",
    "combined_id",
    "count_choices",
    "draw_from_tasks",
    "draw_sample",
    "flow_of",
    "parse_n",
    "parse_selection",
]

Key = TypeVar("Key")

ALGORITHM = "assay-dial-1"
"""Changes whenever the same seed would draw a different sample."""
MAX_ENUMERATED = 300_000
"""Up to this many choices of a paper are all enumerated."""
SAMPLED_CHOICES = 30_000
"""Of more choices, this many are sampled, and the counts of the strata are estimates."""
MAX_TASKS = 20_000
"""Largest number of tasks without a sample."""

Flow = Literal["none", "feeds", "chain"]
"""Data flow: none, from one function to another, or through three functions or more (`flow_of`)."""
Pair = tuple[str, str]
"""A function, and another that receives its values."""


class FunctionChoice(NamedTuple):
    """One choice of functions."""

    id: str
    paper: str
    n: int
    flow: Flow | None


class Stratum(Strict):
    """Similar choices, their number, and how many were drawn."""

    n: int
    paper: str
    flow: Flow | None
    possible: int
    drawn: int
    estimated: bool = False
    """True if `possible` is an estimate from a part of the choices."""


class DrawnTask(Strict):
    """One task of a manifest."""

    id: str
    n: int
    flow: Flow | None


class SampleManifest(Strict):
    """The drawn tasks, and everything needed to draw them again."""

    algorithm: str
    seed: int
    sample: int | None
    inputs: str
    """SHA-256 of the available functions and of their data flow."""
    strata: list[Stratum]
    tasks: list[DrawnTask]

    @property
    def flows(self) -> dict[str, Flow]:
        """Task id -> data-flow difficulty, if it is known."""
        return {task.id: task.flow for task in self.tasks if task.flow is not None}


def count_choices(functions: Mapping[str, int], n: int) -> dict[str, int]:
    """Return how many choices of n functions each paper has."""
    return {paper: comb(size, n) for paper, size in functions.items()}


def combined_id(paper: str, ids: Sequence[str]) -> str:
    """Return a task's id in its published form, `{paper_id}_{ids}`."""
    return f"{paper}_{','.join(ids)}"


def flow_of(ids: Collection[str], pairs: Iterable[Pair]) -> Flow:
    """Return the data-flow difficulty of a choice of functions.

    Of a single function: whether other functions give it values or get its values (`feeds`), or both
    (`chain`). Of several functions: whether values of one reach another of them.
    """
    if len(ids) == 1:
        own_id = next(iter(ids))
        others = [pair for pair in pairs if own_id in pair and pair[0] != pair[1]]
        gives, gets = (
            any(first == own_id for first, _ in others),
            any(second == own_id for _, second in others),
        )
        return "chain" if gives and gets else "feeds" if gives or gets else "none"
    inner_pairs = {
        (first, second) for first, second in pairs if first in ids and second in ids and first != second
    }
    if not inner_pairs:
        return "none"
    is_chain = any(
        second == third and end != first for first, second in inner_pairs for third, end in inner_pairs
    )
    return "chain" if is_chain else "feeds"


def draw_sample(
    functions: Mapping[str, Sequence[str]],
    selection: Selection,
    flows: Mapping[str, Collection[Pair]] | None = None,
) -> SampleManifest:
    """Draw tasks from all choices of the functions of each paper."""
    counts = selection.n or (1,)
    sizes = {paper: len(ids) for paper, ids in functions.items()}
    total = sum(sum(count_choices(sizes, n).values()) for n in counts)
    if selection.sample is None and total > MAX_TASKS:
        raise UsageError(
            f"there are {total:,} choices for n = {', '.join(map(str, counts))}, too many to make them all",
            hint="add --sample 100 --seed 0",
        )
    known_flows = {paper: sorted(flows[paper]) for paper in functions if flows and paper in flows}
    candidates = (
        FunctionChoice(
            combined_id(paper, ids),
            paper,
            n,
            flow_of(ids, known_flows[paper]) if paper in known_flows else None,
        )
        for n in counts
        for paper, all_ids in functions.items()
        for ids in _choices(paper, all_ids, n, selection.seed)
    )
    inputs = {"functions": {paper: list(ids) for paper, ids in functions.items()}, "flows": known_flows}
    possible = {(n, paper): comb(size, n) for n in counts for paper, size in sizes.items()}
    return _draw(candidates, selection, _digest(inputs), possible)


def draw_from_tasks(candidates: Sequence[FunctionChoice], selection: Selection) -> SampleManifest:
    """Draw tasks from existing tasks."""
    matching = [candidate for candidate in candidates if selection.n is None or candidate.n in selection.n]
    return _draw(matching, selection, _digest([list(candidate) for candidate in candidates]), {})


def _choices(paper: str, ids: Sequence[str], n: int, seed: int) -> Iterator[tuple[str, ...]]:
    if comb(len(ids), n) <= MAX_ENUMERATED:
        yield from combinations(ids, n)
        return
    drawn_positions: set[tuple[int, ...]] = set()
    number = 0
    while len(drawn_positions) < SAMPLED_CHOICES:
        positions = _distinct(_hash(seed, f"{paper}/{n}/{number}"), len(ids), n)
        number += 1
        if positions not in drawn_positions:
            drawn_positions.add(positions)
            yield tuple(ids[position] for position in positions)


def _distinct(noise: bytes, size: int, n: int) -> tuple[int, ...]:
    """Return n different positions below `size`, read from a hash four bytes at a time, sorted."""
    positions: set[int] = set()
    while True:
        for start in range(0, len(noise), 4):
            positions.add(int.from_bytes(noise[start : start + 4]) % size)
            if len(positions) == n:
                return tuple(sorted(positions))
        noise = hashlib.sha256(noise).digest()


def _draw(
    candidates: Iterable[FunctionChoice],
    selection: Selection,
    inputs: str,
    possible: Mapping[tuple[int, str], int],
) -> SampleManifest:
    groups: dict[tuple[int, str, Flow | None], list[FunctionChoice]] = defaultdict(list)
    seen_counts: dict[tuple[int, str], int] = defaultdict(int)
    for candidate in candidates:
        groups[candidate.n, candidate.paper, candidate.flow].append(candidate)
        seen_counts[candidate.n, candidate.paper] += 1
    strata: list[Stratum] = []
    chosen_ids: set[str] = set()
    for n in sorted({key[0] for key in groups}):
        sizes: dict[tuple[int, str, Flow | None], int] = {}
        for key in sorted((key for key in groups if key[0] == n), key=str):
            possible_count = possible.get(key[:2], seen_counts[key[:2]])
            sizes[key] = max(len(groups[key]), len(groups[key]) * possible_count // seen_counts[key[:2]])
        quotas = allocate_places(sizes, selection.sample)
        for key, size in sizes.items():
            ordered = sorted(groups[key], key=lambda candidate: _hash(selection.seed, candidate.id))
            chosen_ids.update(candidate.id for candidate in ordered[: quotas[key]])
            drawn_count = min(quotas[key], len(ordered))
            strata.append(
                Stratum(
                    n=n,
                    paper=key[1],
                    flow=key[2],
                    possible=size,
                    drawn=drawn_count,
                    estimated=size > len(ordered),
                )
            )
    kept_choices = [
        candidate for group in groups.values() for candidate in group if candidate.id in chosen_ids
    ]
    kept_choices.sort(key=lambda candidate: (candidate.n, candidate.paper, _natural(candidate.id)))
    return SampleManifest(
        algorithm=ALGORITHM,
        seed=selection.seed,
        sample=selection.sample,
        inputs=inputs,
        strata=strata,
        tasks=[DrawnTask(id=candidate.id, n=candidate.n, flow=candidate.flow) for candidate in kept_choices],
    )


def allocate_places(sizes: Mapping[Key, int], sample_size: int | None) -> dict[Key, int]:
    """Return each stratum's quota: proportional to its size, at least one if possible, at most its size."""
    total = sum(sizes.values())
    if sample_size is None or sample_size >= total:
        return dict(sizes)
    minimum = 1 if sample_size >= len(sizes) else 0
    places = {key: max(minimum, sample_size * size // total) for key, size in sizes.items()}
    while sum(places.values()) < sample_size:
        unfilled = [key for key in sizes if places[key] < sizes[key]]
        largest_deficit = max(unfilled, key=lambda key: sample_size * sizes[key] - places[key] * total)
        places[largest_deficit] += 1
    while sum(places.values()) > sample_size:
        largest_surplus = max(
            (key for key in sizes if places[key] > minimum),
            key=lambda key: places[key] * total - sample_size * sizes[key],
        )
        places[largest_surplus] -= 1
    return places


def _hash(seed: int, text: str) -> bytes:
    return hashlib.sha256(f"{ALGORITHM}:{seed}:{text}".encode()).digest()


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _natural(text: str) -> list[tuple[int, str]]:
    """Return a sort key in which 10 comes after 9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in text.replace("_", ",").split(",")]
