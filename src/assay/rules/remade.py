"""The numbers that a run re-made, and whether one that a text cites is among them for more than by chance.

A results file may hold thousands of numbers. Those of long lists and tables are taken by what sums them up
(mean, least, greatest, first, last, median, spread); the others, which a reader could name, one by one. Where
even these lie so close together that almost any number would be found, being found says nothing.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from assay.rules.cited import Cited
from assay.rules.written_values import as_number

Path = tuple[str, ...]

MOST_READ = 200_000
"""Results that are looked through; where there are more, what is not found may be among them."""
LONG = 50
"""Numbers side by side from which on they are a series and not names of results."""
MOST_PAIRED = 12
"""Numbers side by side whose differences, ratios and changes are looked at."""
MOST_COMPARED = 400
"""Results beyond which no differences and ratios are looked at."""
GRID = 30
"""Evenly spaced numbers from which on they are an axis, and no results."""
DENSE = 0.5
"""Share of the numbers of its size that would be found as well, from which on finding one says nothing."""
SLACK = 1.0001
_WORDS = re.compile(r"[^\W\d_]+")


def leaves(results: object) -> dict[Path, float]:
    """Path → number, for every number of some results, up to one more than `MOST_READ`."""
    numbers: dict[Path, float] = {}
    left: list[tuple[Path, object]] = [((), results)]
    while left and len(numbers) <= MOST_READ:
        path, value = left.pop()
        if isinstance(value, Mapping):
            left += [((*path, str(key)), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            left += [((*path, str(place)), inner) for place, inner in enumerate(value)]
        elif (number := as_number(value)) is not None and math.isfinite(number):
            numbers[path] = number
    return numbers


@dataclass(frozen=True)
class RemadeCheck:
    """Whether a cited number was re-made."""

    was_remade: bool
    by_chance: bool = False
    """Whether almost any other number would have been found as well."""


class Numbers:
    """Re-made numbers, and what a sentence makes of two of them."""

    def __init__(self, results: object, noise: Mapping[str, float] | None = None) -> None:
        results_by_path = leaves(results)
        self.count = len(results_by_path)
        self._paths = results_by_path.keys()
        self.complete = len(results_by_path) <= MOST_READ
        spreads = noise or {}
        named, summed = _named(results_by_path)
        direct = [(abs(number), spreads.get(".".join(path), 0.0)) for path, number in named.items()]
        self._direct = _Sorted([*direct, *((abs(number), 0.0) for number in summed)])
        derived = list(_derived(named)) if len(named) <= MOST_COMPARED else []
        self._derived = _Sorted((abs(number), 0.0) for number in derived)

    def find(self, cited: Cited) -> RemadeCheck:
        """Whether some re-made number, rounded as the text rounds, is the cited one within its noise."""
        by_chance = False
        for numbers in (self._derived,) if cited.ratio else (self._direct, self._derived):
            for value, half in zip(cited.values, cited.half, strict=True):
                if numbers.near(value, half):
                    if numbers.coverage(value, half) <= DENSE:
                        return RemadeCheck(was_remade=True)
                    by_chance = True
        return RemadeCheck(was_remade=by_chance, by_chance=by_chance)

    def words(self) -> set[str]:
        """The words in the names of the results."""
        steps = {step for path in self._paths for step in path}
        return {word for step in steps for word in _WORDS.findall(step.casefold())}

    def has(self, cited: Cited) -> bool:
        """Whether it was re-made, by chance or not."""
        return self.find(cited).was_remade


class _Sorted:
    """Candidates in order, each with how far it may move."""

    def __init__(self, candidates: Iterable[tuple[float, float]]) -> None:
        pairs = sorted({candidate for candidate in candidates if math.isfinite(candidate[0])})
        self._numbers = [number for number, _ in pairs]
        self._spreads = [spread for _, spread in pairs]
        self._noise = max(self._spreads, default=0.0)

    def near(self, value: float, half: float) -> bool:
        """Whether a candidate is this value as far as its digits and the candidate's noise tell."""
        widest = (half + self._noise) * SLACK
        first, last = bisect_left(self._numbers, value - widest), bisect_right(self._numbers, value + widest)
        return any(
            abs(self._numbers[at] - value) <= (half + self._spreads[at]) * SLACK for at in range(first, last)
        )

    def coverage(self, value: float, half: float) -> float:
        """The share of the numbers between half and one and a half times the value that are near one."""
        low, high = 0.5 * abs(value), 1.5 * abs(value)
        first, last = bisect_left(self._numbers, low - half), bisect_right(self._numbers, high + half)
        if high <= low or last - first < 3:
            return 0.0
        covered, end = 0.0, low
        for number in self._numbers[first:last]:
            begin, stop = max(number - half, end), min(number + half, high)
            covered += max(0.0, stop - begin)
            end = max(end, stop)
        return covered / (high - low)


def _groups(numbers: Mapping[Path, float]) -> dict[tuple[object, ...], list[float]]:
    """Numbers whose paths differ in one step, together."""
    groups: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for path, number in numbers.items():
        for place in range(len(path)):
            groups[(place, *path[:place], None, *path[place + 1 :])].append(number)
    return groups


def _named(by_path: Mapping[Path, float]) -> tuple[dict[Path, float], list[float]]:
    """The numbers that stand for themselves, and what sums up the series; axes are neither."""
    siblings: dict[Path, list[float]] = defaultdict(list)
    for path, number in by_path.items():
        siblings[path[:-1]].append(number)
    series = {parent for parent, numbers in siblings.items() if len(numbers) > LONG}
    summed = [total for parent in series for total in _sums(siblings[parent])]
    named = {path: number for path, number in by_path.items() if path[:-1] not in series}
    return ({} if is_grid(list(named.values())) else named), summed


def _sums(numbers: Sequence[float]) -> Iterator[float]:
    """What sums up a series; of an axis nothing."""
    if is_grid(numbers):
        return
    mean, ordered = math.fsum(numbers) / len(numbers), sorted(numbers)
    yield from (mean, ordered[0], ordered[-1], numbers[0], numbers[-1], ordered[len(ordered) // 2])
    yield math.sqrt(math.fsum((number - mean) ** 2 for number in numbers) / len(numbers))


def is_grid(numbers: Sequence[float]) -> bool:
    """Whether numbers are spread evenly over a range, as nothing that is measured is."""
    ordered = sorted(set(numbers))
    if len(ordered) < GRID:
        return False
    width = (ordered[-1] - ordered[0]) or 1.0
    gaps = Counter(round((after - before) / width, 9) for before, after in pairwise(ordered))
    return gaps.most_common(1)[0][1] >= 0.8 * (len(ordered) - 1)


def _derived(numbers: Mapping[Path, float]) -> Iterator[float]:
    """Differences, ratios and changes of numbers whose paths differ in one step, means of such groups, and
    what is missing to one: an error from an accuracy."""
    yield from (1 - number for number in numbers.values() if 0 < number < 1)
    for group in _groups(numbers).values():
        yield math.fsum(group) / len(group)
        for first, second in combinations(group, 2) if len(group) <= MOST_PAIRED else ():
            yield first - second
            for upper, lower in ((first, second), (second, first)):
                if lower:
                    yield upper / lower
                    yield (upper - lower) / lower
