"""Results that are too long to list one by one: what sums up a series, and how it changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean, median
from typing import Literal

Kind = Literal["mean", "median", "least", "greatest", "first", "last"]

KINDS: tuple[Kind, ...] = ("mean", "median", "least", "greatest", "first", "last")
FEW_KINDS: tuple[Kind, ...] = ("mean", "first", "last")
"""What is shown of a series where there are so many series that all kinds are too much to read."""
PARTS = 10
"""Parts of a long series whose means show how it changes."""


def mean_of(numbers: Iterable[float]) -> float:
    """The mean, also of numbers whose sum is too large for a float."""
    values = list(numbers)
    try:
        return fmean(values)
    except OverflowError:
        return math.fsum(value / len(values) for value in values)


@dataclass(frozen=True, eq=False)
class LongSeries:
    """The finite numbers of a long series; those of a table with a series in each row are several runs."""

    path: str
    runs: Sequence[Sequence[float]]

    @property
    def numbers(self) -> list[float]:
        """All numbers of all runs."""
        return list(chain.from_iterable(self.runs))

    def entries(self, kinds: Iterable[Kind]) -> Iterator[tuple[str, Kind]]:
        """The paths of what sums it up; each says what it is."""
        count = sum(map(len, self.runs))
        for kind in kinds:
            is_of_each = kind in ("first", "last") and len(self.runs) > 1
            name = f"mean {kind} of {len(self.runs)} series" if is_of_each else f"{kind} of {count}"
            yield f"{self.path}.{name}" if self.path else name, kind

    def value(self, kind: Kind) -> float:
        """What sums it up, by its kind."""
        match kind:
            case "mean":
                return mean_of(self.numbers)
            case "median":
                return median(self.numbers)
            case "least":
                return min(self.numbers)
            case "greatest":
                return max(self.numbers)
            case "first":
                return mean_of(run[0] for run in self.runs)
            case "last":
                return mean_of(run[-1] for run in self.runs)

    def changes(self) -> list[float]:
        """The means of equal parts of the runs, in their order."""
        parts = [[part for run in self.runs for part in _part(run, place)] for place in range(PARTS)]
        return [mean_of(part) for part in parts if part]


@dataclass(frozen=True)
class SeriesEntry:
    """One listed entry that sums up a long series."""

    series: LongSeries
    kind: Kind


def _part(run: Sequence[float], place: int) -> Sequence[float]:
    return run[place * len(run) // PARTS : (place + 1) * len(run) // PARTS]
