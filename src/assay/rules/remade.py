"""The numbers that a run re-made, and whether one that a text cites is among them for more than by chance.

A results file may hold thousands of numbers. Those of long lists and tables are taken by what sums them up
(mean, least, greatest, first, last, median, spread); the others, which a reader could name, one by one. Where
even these lie so close together that almost any number would be found, being found says nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, pairwise

from assay.rules.cited_number import Cited, Scale
from assay.rules.entry_units import is_in_percent, is_share
from assay.rules.remade_units import RemadeAmounts, RemadeTimes
from assay.rules.sorted_numbers import DENSE, MOST_PAIRED, Path, RemadeCheck, SortedNumbers, groups_of
from assay.rules.written_values import as_number

MOST_READ = 200_000
"""Results that are looked through; where there are more, what is not found may be among them."""
LONG = 50
"""Numbers side by side from which on they are a series and not names of results."""
MOST_COMPARED = 400
"""Results beyond which no differences and ratios are looked at."""
GRID = 30
"""Evenly spaced numbers from which on they are an axis, and no results."""
SPARSE = 0.1
"""Share of the numbers of its size that results show, up to which no reader has to say which one it is."""
DEEPEST_TABLE = 6
"""Steps below which no whole tables are looked for."""
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


class Numbers:
    """Re-made numbers, and what a sentence makes of two of them."""

    def __init__(self, results: object, noise: Mapping[str, float] | None = None) -> None:
        results_by_path = leaves(results)
        self.count = len(results_by_path)
        self._paths = results_by_path.keys()
        self.complete = len(results_by_path) <= MOST_READ
        self._spreads = noise or {}
        self._named, self._series = _named(results_by_path)
        self._by_scale: dict[Scale, tuple[SortedNumbers, SortedNumbers]] = {}

    def find(self, cited: Cited) -> RemadeCheck:
        """Whether some re-made number, rounded as the text rounds, is the cited one within its noise."""
        if cited.memory_unit is not None:
            plain = self._find_plain(cited) if cited.shares_unit else RemadeCheck(was_remade=False)
            return plain if plain.was_remade else self._amounts.find(cited)
        found = self._find_plain(cited)
        if found.was_remade or not cited.of_times:
            return found
        is_unclear = self._times.has_similar_ratio(max(cited.values))
        return RemadeCheck(was_remade=is_unclear, by_chance=is_unclear, cannot_compare=is_unclear)

    @cached_property
    def _amounts(self) -> RemadeAmounts:
        return RemadeAmounts(self._named)

    @cached_property
    def _times(self) -> RemadeTimes:
        return RemadeTimes(self._named)

    def _at(self, scale: Scale) -> tuple[SortedNumbers, SortedNumbers]:
        """The results that a reading of this scale is compared with, and what follows from them."""
        if scale not in self._by_scale:
            named, series = self._named, self._series
            if scale == "percent":
                paths = _in_percent(named)
                named = {path: number for path, number in named.items() if path in paths}
                paths = _in_percent({path: max(map(abs, each)) for path, each in series.items()})
                series = {path: each for path, each in series.items() if path in paths}
            elif scale == "share":
                named = {path: number for path, number in named.items() if is_share(path)}
                series = {path: each for path, each in series.items() if is_share(path)}
            direct = [(abs(number), self._spreads.get(".".join(path), 0.0)) for path, number in named.items()]
            direct += [(abs(total), 0.0) for each in series.values() for total in _sums(each)]
            derived = _derived(named, scale) if len(named) <= MOST_COMPARED else ()
            self._by_scale[scale] = (
                SortedNumbers(direct),
                SortedNumbers((abs(number), 0.0) for number in derived),
            )
        return self._by_scale[scale]

    def _find_plain(self, cited: Cited) -> RemadeCheck:
        by_chance = False
        for place in (0, 1):
            for value, half, scale in cited.ranges:
                numbers = self._at(scale)[place]
                if numbers.near(value, half):
                    if numbers.coverage(value, half) <= DENSE:
                        return RemadeCheck(was_remade=True)
                    by_chance = True
        return RemadeCheck(was_remade=by_chance, by_chance=by_chance)

    def words(self) -> set[str]:
        """The words in the names of the results."""
        steps = {step for path in self._paths for step in path}
        return {word for step in steps for word in _WORDS.findall(step.casefold())}

    def shows(self, cited: Cited) -> bool:
        """Whether the results contain it as it stands, and hardly another number of its size."""
        if cited.is_in_words or cited.of_times or cited.side or not cited.is_precise:
            return False
        if cited.memory_unit is not None:
            place = self.find(cited)
            return place.was_remade and not place.by_chance
        for value, half, scale in zip(cited.values, cited.half, cited.scales, strict=False):
            numbers = self._at(scale)[0]
            if numbers.near(value, half) and numbers.coverage(value, half) <= SPARSE:
                return True
        return False

    def has(self, cited: Cited) -> bool:
        """Whether it was re-made, by chance or not."""
        return self.find(cited).was_remade


def _named(by_path: Mapping[Path, float]) -> tuple[dict[Path, float], dict[Path, list[float]]]:
    """The numbers that stand for themselves, and the series by their paths; axes are neither."""
    siblings: dict[Path, list[float]] = defaultdict(list)
    for path, number in by_path.items():
        siblings[path[:-1]].append(number)
    series = {parent: numbers for parent, numbers in siblings.items() if len(numbers) > LONG}
    named = {path: number for path, number in by_path.items() if path[:-1] not in series}
    return ({} if is_grid(list(named.values())) else named), series


def _in_percent(named: Mapping[Path, float]) -> set[Path]:
    """The entries that may count in percent: by their names, or because entries beside them are above 1."""
    in_percent = {path for path, number in named.items() if abs(number) > 1 or is_in_percent(path)}
    small: set[Path] = set()
    has_large: set[Path] = set()
    groups: dict[tuple[object, ...], list[Path]] = defaultdict(list)
    for path in named:
        for place in range(len(path)):
            groups[(place, *path[:place], None, *path[place + 1 :])].append(path)
    for paths in groups.values():
        if len(paths) > 1:
            (small if in_percent.isdisjoint(paths) else has_large).update(paths)
    return in_percent | (has_large - small)


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


def _derived(numbers: Mapping[Path, float], scale: Scale) -> Iterator[float]:
    """Differences of numbers whose paths differ in one step, means of such groups and of a whole table,
    ratios and changes; for errors also what is missing to one, with its ratios and changes."""
    yield from _table_means(numbers)
    for group in groups_of(numbers).values():
        yield math.fsum(group) / len(group)
        for first, second in combinations(group, 2) if len(group) <= MOST_PAIRED else ():
            yield first - second
    if scale in ("any", "error"):
        yield from _ratios(numbers)
    if scale == "error":
        yield from (1 - number for number in numbers.values() if 0 < number < 1)
        yield from _ratios(
            {path: 1 - number for path, number in numbers.items() if 0 < number < 1 and is_share(path)}
        )


def _ratios(numbers: Mapping[Path, float]) -> Iterator[float]:
    """Ratios and changes of numbers whose paths differ in one step."""
    for group in groups_of(numbers).values():
        for first, second in combinations(group, 2) if len(group) <= MOST_PAIRED else ():
            for upper, lower in ((first, second), (second, first)):
                if lower:
                    yield upper / lower
                    yield (upper - lower) / lower


def _table_means(numbers: Mapping[Path, float]) -> Iterator[float]:
    """Means of tables that have one number for each combination of two or more steps, under one name."""
    tables: dict[Path, dict[Path, float]] = defaultdict(dict)
    for path, number in numbers.items():
        for start in range(1, min(len(path) - 1, DEEPEST_TABLE)):
            tables[path[:start]][path[start:]] = number
    for table in tables.values():
        depths = {len(path) for path in table}
        steps = [set(names) for names in zip(*table, strict=False)]
        sizes = [len(names) for names in steps]
        if len(depths) == 1 and min(sizes) > 1 and math.prod(sizes) == len(table):
            yield math.fsum(table.values()) / len(table)
