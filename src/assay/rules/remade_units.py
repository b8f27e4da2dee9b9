"""Re-made numbers that have units: amounts of memory in bytes, and times.

An amount is compared in its unit: 157.0 kB is 156,960 bytes, and is not 157 bytes. What it does not cover: an
amount that a result states in a unit that its name does not say. Such an amount cannot be compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations

from assay.rules.cited_number import Cited
from assay.rules.entry_units import BASES, bytes_in, memory_unit_of, seconds_at
from assay.rules.sorted_numbers import DENSE, MOST_PAIRED, Path, RemadeCheck, SortedNumbers, groups_of

SAME_SIZE = 10.0
"""Factor within which two times, or two ratios of times, are of the same size: a busy machine was up to ten
times slower."""
MOST_TIMES = 200
"""Times whose ratios are looked at."""


class RemadeAmounts:
    """The amounts of memory among some results, in bytes, and the results whose names state no unit."""

    def __init__(self, numbers: Mapping[Path, float], *, with_derived: bool = True) -> None:
        units = {path: memory_unit_of(path) for path in numbers}
        self._has_any = any(unit is not None for unit in units.values())
        amounts = {
            base: {
                path: numbers[path] * bytes_in(unit, base) for path, unit in units.items() if unit is not None
            }
            for base in BASES
        }
        self._by_base = {
            base: SortedNumbers(
                (abs(amount), 0.0)
                for amount in (_with_derived(by_path) if with_derived else by_path.values())
            )
            for base, by_path in amounts.items()
        }
        self._without_unit = SortedNumbers(
            (abs(number), 0.0)
            for path, number in numbers.items()
            if units[path] is None and seconds_at(path, number) is None
        )

    def find(self, cited: Cited) -> RemadeCheck:
        """Whether an amount is among the results, in its own unit or in the unit that a result states."""
        unit, (value, half, _) = cited.memory_unit or "", next(cited.ranges)
        scales = [(self._by_base[base], bytes_in(unit, base)) for base in BASES]
        found = [
            numbers.coverage(value * scale, half * scale) <= DENSE
            for numbers, scale in (*scales, (self._without_unit, 1.0))
            if numbers.near(value * scale, half * scale)
        ]
        if found:
            return RemadeCheck(was_remade=True, by_chance=not any(found))
        in_bytes = [value * bytes_in(unit, base) for base in BASES]
        may_be_bytes = any(
            self._without_unit.near(amount, half * amount / value if value else half) for amount in in_bytes
        )
        is_unclear = not self._has_any or may_be_bytes
        return RemadeCheck(was_remade=is_unclear, by_chance=is_unclear, cannot_compare=is_unclear)


class RemadeTimes:
    """The times among some results, in seconds."""

    def __init__(self, numbers: Mapping[Path, float]) -> None:
        times = [seconds_at(path, number) for path, number in numbers.items()]
        self._seconds = [seconds for seconds in times if seconds is not None][:MOST_TIMES]

    def has_similar_ratio(self, ratio: float) -> bool:
        """Whether two of the times have a ratio of the same size."""
        ratios = (max(pair) / min(pair) for pair in combinations(self._seconds, 2))
        size = max(ratio, 1 / ratio) if ratio else math.inf
        return any(size / SAME_SIZE <= measured <= size * SAME_SIZE for measured in ratios)


def _with_derived(amounts: Mapping[Path, float]) -> Iterator[float]:
    """Amounts, their means, and the differences of a few side by side."""
    yield from amounts.values()
    for group in groups_of(amounts).values():
        yield math.fsum(group) / len(group)
        for first, second in combinations(group, 2) if len(group) <= MOST_PAIRED else ():
            yield first - second
