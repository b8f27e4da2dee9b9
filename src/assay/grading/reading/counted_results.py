"""Counts of results that fulfil a condition, and the place of one result among several.

A reader names the results and the condition; code counts. What it does not cover: a condition on what follows
from several results, such as the mean over seeds of each method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.rules.cited_number import Cited
from assay.rules.written_values import as_number

COUNT, RANK = "count", "rank"
CONDITIONS = ("greater", "less", "equal")


@dataclass(frozen=True)
class CountedResults:
    """The results that a reader names for a count or a place, in its order."""

    kind: str
    paths: tuple[str, ...]
    condition: str
    compared_with: tuple[str, ...] = ()
    """What they are compared with: one number or path for all, or a path for each."""

    def compare(
        self, number: Cited, numbers: Mapping[str, float], blanks: Sequence[Cited]
    ) -> CountedAnswer | None:
        """Whether a cited number is this count or place; None where the reader's answer gives neither.

        `blanks` are the hidden numbers of the text, with which results may be compared.
        """
        values = [numbers[path] for path in self.paths]
        if self.condition not in CONDITIONS or not values:
            return None
        if self.kind == RANK:
            return self._compare_place(number, values)
        answers = [self._compare_count(number, values, limits) for limits in self._limits(numbers, blanks)]
        return next((answer for answer in answers if answer.is_right), answers[0] if answers else None)

    def _compare_place(self, number: Cited, values: Sequence[float]) -> CountedAnswer | None:
        first, *rivals = values
        if not rivals or self.condition == "equal":
            return None
        best = 1 + sum(self._holds(rival, first) for rival in rivals)
        worst = best + sum(rival == first for rival in rivals)
        return CountedAnswer(best <= number.values[0] <= worst, f"the place {best} of {len(values)} results")

    def _compare_count(
        self, number: Cited, values: Sequence[float], limits: Sequence[float]
    ) -> CountedAnswer:
        count = sum(self._holds(value, limit) for value, limit in zip(values, limits, strict=True))
        return CountedAnswer(_is_count(number, count, len(values)), f"{count} of {len(values)} results")

    def _holds(self, value: float, limit: float) -> bool:
        return {"greater": value > limit, "less": value < limit, "equal": value == limit}[self.condition]

    def _limits(self, numbers: Mapping[str, float], blanks: Sequence[Cited]) -> list[list[float]]:
        """What each result is compared with; several lists where a hidden number may mean several amounts."""
        size = len(self.paths)
        if len(self.compared_with) == size and all(path in numbers for path in self.compared_with):
            return [[numbers[path] for path in self.compared_with]]
        if len(self.compared_with) != 1:
            return []
        (limit_text,) = self.compared_with
        if limit_text in numbers:
            return [[numbers[limit_text]] * size]
        place = limit_text.strip().strip("[]")
        if limit_text.strip().startswith("[") and place.isdecimal() and 0 < int(place) <= len(blanks):
            return [[value] * size for value in blanks[int(place) - 1].values]
        limit = as_number(limit_text)
        return [] if limit is None else [[limit] * size]


@dataclass(frozen=True)
class CountedAnswer:
    """What a count or a place came to."""

    is_right: bool
    words: str


def _is_count(number: Cited, count: int, size: int) -> bool:
    """Whether "4 of 5", "4" or "80%" is this count of so many results, or a bound that it fulfils."""
    has_whole = number.has_whole or (number.is_in_words and len(number.values) == 3)
    if not has_whole and not number.is_whole:
        share = count / size
        readings = zip(number.values, number.half, (share, 100 * share), strict=False)
        return any(abs(value - counted) <= half for value, half, counted in readings)
    if has_whole and abs(number.values[0] * size - number.values[-1]) > 0.01:
        return False
    part = round(number.values[-1] if has_whole else number.values[0])
    return count == part if not number.side else number.side * (count - part) >= 0
