"""Numbers in order, and whether one that a text cites is near one of them for more than by chance."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Path = tuple[str, ...]

MOST_PAIRED = 12
"""Numbers side by side whose differences, ratios and changes are looked at."""
DENSE = 0.5
"""Share of the numbers of its size that would be found as well, from which on finding one says nothing."""
SLACK = 1.0001


@dataclass(frozen=True)
class RemadeCheck:
    """Whether a cited number was re-made."""

    was_remade: bool
    by_chance: bool = False
    """Whether finding it says nothing: almost any other number would have been found as well."""
    cannot_compare: bool = False
    """Whether nothing says how to compare it: no result has its unit, or it is a ratio of other times."""


class SortedNumbers:
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


def groups_of(numbers: Mapping[Path, float]) -> dict[tuple[object, ...], list[float]]:
    """Numbers whose paths differ in one step, together."""
    groups: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for path, number in numbers.items():
        for place in range(len(path)):
            groups[(place, *path[:place], None, *path[place + 1 :])].append(number)
    return groups
