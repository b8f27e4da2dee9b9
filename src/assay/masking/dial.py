"""n as a dial: how many functions are taken out at once, every choice of them counted, samples by seed.

A sample is drawn by hash: in each stratum (n, paper, data flow) the choices are ordered by
SHA-256 of `algorithm:seed:id`, and the first ones are taken. So anyone can make it again in any language, a
larger sample holds the smaller one's choices of a stratum as far as its quota grows, and nothing hangs on a
generator of random numbers. Strata get places in proportion to their size, and each at least one where there
are places enough.
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
    "Candidate",
    "Drawn",
    "Flow",
    "Manifest",
    "Pair",
    "Selection",
    "Stratum",
    "allocate",
    "combined_id",
    "count_choices",
    "draw",
    "draw_among",
    "flow_of",
    "parse_n",
    "parse_selection",
]

Key = TypeVar("Key")

ALGORITHM = "assay-dial-1"
"""Changes whenever the same seed would draw another sample."""
LISTED = 300_000
"""The choices of a paper are all looked at up to this many."""
LOOKED_AT = 30_000
"""Beyond that so many of them, and the counts of the strata are estimates."""
MOST_TASKS = 20_000
"""More tasks than this are never made without a sample."""

Flow = Literal["none", "feeds", "chain"]
"""Whether the functions feed each other: not at all, one another, or as a chain of three or more."""
Pair = tuple[str, str]
"""A function whose values reach another, and that other."""


class Candidate(NamedTuple):
    """One choice of functions."""

    id: str
    paper: str
    n: int
    flow: Flow | None


class Stratum(Strict):
    """Choices that are alike, how many there are, and how many were drawn."""

    n: int
    paper: str
    flow: Flow | None
    possible: int
    drawn: int
    estimated: bool = False
    """Whether `possible` is an estimate from a part of the choices."""


class Drawn(Strict):
    """One task of a manifest."""

    id: str
    n: int
    flow: Flow | None


class Manifest(Strict):
    """What was drawn, and all that is needed to draw it again."""

    algorithm: str
    seed: int
    sample: int | None
    inputs: str
    """SHA-256 of the functions and of the data flow that were chosen from."""
    strata: list[Stratum]
    tasks: list[Drawn]

    @property
    def flows(self) -> dict[str, Flow]:
        """Task id → data-flow difficulty, where it is known."""
        return {each.id: each.flow for each in self.tasks if each.flow is not None}


def count_choices(functions: Mapping[str, int], n: int) -> dict[str, int]:
    """How many choices of n functions each paper has."""
    return {paper: comb(size, n) for paper, size in functions.items()}


def combined_id(paper: str, ids: Sequence[str]) -> str:
    """The published form of a task's id, `{paper_id}_{ids}`."""
    return f"{paper}_{','.join(ids)}"


def flow_of(ids: Collection[str], pairs: Iterable[Pair]) -> Flow:
    """The data-flow difficulty of a choice of functions."""
    inside = {(first, then) for first, then in pairs if first in ids and then in ids and first != then}
    if not inside:
        return "none"
    chained = any(then == middle and end != first for first, then in inside for middle, end in inside)
    return "chain" if chained else "feeds"


def draw(
    functions: Mapping[str, Sequence[str]],
    selection: Selection,
    flows: Mapping[str, Collection[Pair]] | None = None,
) -> Manifest:
    """Choose tasks among all choices of the functions of each paper."""
    wanted = selection.n or (1,)
    sizes = {paper: len(ids) for paper, ids in functions.items()}
    total = sum(sum(count_choices(sizes, n).values()) for n in wanted)
    if selection.sample is None and total > MOST_TASKS:
        raise UsageError(
            f"there are {total:,} choices for n = {', '.join(map(str, wanted))}, too many to make them all",
            hint="add --sample 100 --seed 0",
        )
    known = {paper: sorted(flows[paper]) for paper in functions if flows and paper in flows}
    candidates = (
        Candidate(combined_id(paper, ids), paper, n, flow_of(ids, known[paper]) if paper in known else None)
        for n in wanted
        for paper, all_ids in functions.items()
        for ids in _choices(paper, all_ids, n, selection.seed)
    )
    inputs = {"functions": {paper: list(ids) for paper, ids in functions.items()}, "flows": known}
    possible = {(n, paper): comb(size, n) for n in wanted for paper, size in sizes.items()}
    return _draw(candidates, selection, _digest(inputs), possible)


def draw_among(candidates: Sequence[Candidate], selection: Selection) -> Manifest:
    """Choose among tasks that are there already."""
    fitting = [each for each in candidates if selection.n is None or each.n in selection.n]
    return _draw(fitting, selection, _digest([list(each) for each in candidates]), {})


def _choices(paper: str, ids: Sequence[str], n: int, seed: int) -> Iterator[tuple[str, ...]]:
    if comb(len(ids), n) <= LISTED:
        yield from combinations(ids, n)
        return
    seen: set[tuple[int, ...]] = set()
    number = 0
    while len(seen) < LOOKED_AT:
        places = _distinct(_hash(seed, f"{paper}/{n}/{number}"), len(ids), n)
        number += 1
        if places not in seen:
            seen.add(places)
            yield tuple(ids[place] for place in places)


def _distinct(noise: bytes, size: int, n: int) -> tuple[int, ...]:
    """n different places below a size, read off a hash four bytes at a time, in rising order."""
    places: set[int] = set()
    while True:
        for start in range(0, len(noise), 4):
            places.add(int.from_bytes(noise[start : start + 4]) % size)
            if len(places) == n:
                return tuple(sorted(places))
        noise = hashlib.sha256(noise).digest()


def _draw(
    candidates: Iterable[Candidate],
    selection: Selection,
    inputs: str,
    possible: Mapping[tuple[int, str], int],
) -> Manifest:
    groups: dict[tuple[int, str, Flow | None], list[Candidate]] = defaultdict(list)
    looked_at: dict[tuple[int, str], int] = defaultdict(int)
    for each in candidates:
        groups[each.n, each.paper, each.flow].append(each)
        looked_at[each.n, each.paper] += 1
    strata: list[Stratum] = []
    chosen: set[str] = set()
    for n in sorted({key[0] for key in groups}):
        sizes: dict[tuple[int, str, Flow | None], int] = {}
        for key in sorted((key for key in groups if key[0] == n), key=str):
            whole = possible.get(key[:2], looked_at[key[:2]])
            sizes[key] = max(len(groups[key]), len(groups[key]) * whole // looked_at[key[:2]])
        places = allocate(sizes, selection.sample)
        for key, size in sizes.items():
            ordered = sorted(groups[key], key=lambda each: _hash(selection.seed, each.id))
            chosen.update(each.id for each in ordered[: places[key]])
            drawn = min(places[key], len(ordered))
            strata.append(
                Stratum(
                    n=n,
                    paper=key[1],
                    flow=key[2],
                    possible=size,
                    drawn=drawn,
                    estimated=size > len(ordered),
                )
            )
    kept = [each for group in groups.values() for each in group if each.id in chosen]
    kept.sort(key=lambda each: (each.n, each.paper, _natural(each.id)))
    return Manifest(
        algorithm=ALGORITHM,
        seed=selection.seed,
        sample=selection.sample,
        inputs=inputs,
        strata=strata,
        tasks=[Drawn(id=each.id, n=each.n, flow=each.flow) for each in kept],
    )


def allocate(sizes: Mapping[Key, int], wanted: int | None) -> dict[Key, int]:
    """Places for each stratum: in proportion to its size, one at least where they suffice, none beyond it."""
    total = sum(sizes.values())
    if wanted is None or wanted >= total:
        return dict(sizes)
    least = 1 if wanted >= len(sizes) else 0
    places = {key: max(least, wanted * size // total) for key, size in sizes.items()}
    while sum(places.values()) < wanted:
        open_ = [key for key in sizes if places[key] < sizes[key]]
        neediest = max(open_, key=lambda key: wanted * sizes[key] - places[key] * total)
        places[neediest] += 1
    while sum(places.values()) > wanted:
        richest = max(
            (key for key in sizes if places[key] > least),
            key=lambda key: places[key] * total - wanted * sizes[key],
        )
        places[richest] -= 1
    return places


def _hash(seed: int, text: str) -> bytes:
    return hashlib.sha256(f"{ALGORITHM}:{seed}:{text}".encode()).digest()


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _natural(text: str) -> list[tuple[int, str]]:
    """An order in which 10 comes after 9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in text.replace("_", ",").split(",")]
