"""Recognizes the results of a table: in single lines, and as several different numbers of one text."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from assay.curation.drafting.model import DraftMetric
from assay.curation.drafting.number_forms import (
    LEAST_DIGITS,
    beginning,
    digits_of,
    numbers_in,
    plain_number,
    rounded_forms,
)
from assay.curation.labels import label_words

LEAST_RESULTS = 2
"""Different results in one text that are no chance."""
_SHIFTS = (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5)
"""Steps of the last digit, to numbers that are no results: data have them as often as the results."""


class ResultRow(NamedTuple):
    """One row of a table: the words that name it, and its numbers as they are printed."""

    words: frozenset[str]
    printed: tuple[str, ...]


def result_rows(metrics: Sequence[DraftMetric]) -> list[ResultRow]:
    """Return the rows of a draft's table; a number of one digit shows nothing."""
    labels = dict.fromkeys(metric.row_label for metric in metrics)
    rows = []
    for label in labels:
        printed = [metric.printed for metric in metrics if metric.row_label == label]
        rows.append(ResultRow(label_words(label), tuple(text for text in printed if digits_of(text) >= 2)))
    return rows


@dataclass(frozen=True)
class ResultSearch:
    """What the files of one task are searched for."""

    rows: Sequence[ResultRow]
    values: Sequence[float]
    """The numbers of a run, of which the table has rounded ones."""
    printed: Collection[str]
    """The lines that the run prints and writes."""

    @cached_property
    def informative(self) -> frozenset[str]:
        """The numbers with enough digits to be recognized without a name beside them."""
        texts = [text for row in self.rows for text in row.printed]
        texts += [f"{value:.6g}" for value in self.values]
        return frozenset(plain_number(text) for text in texts if digits_of(text) >= LEAST_DIGITS)

    @cached_property
    def _all_numbers(self) -> frozenset[str]:
        return self._informative_in_prose.union(*self._row_numbers)

    @cached_property
    def _informative_in_prose(self) -> frozenset[str]:
        return self.informative.union(*(rounded_forms(number) for number in self.informative))

    @cached_property
    def _row_numbers(self) -> list[frozenset[str]]:
        """The numbers of each row, also rounded to fewer digits."""
        return [
            frozenset(
                form
                for text in row.printed
                for number in [plain_number(text)]
                for form in (number, *rounded_forms(number))
            )
            for row in self.rows
        ]

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset(beginning(number) for number in self._all_numbers)

    def lines_with_results(self, lines: Sequence[str], *, prose: bool = False) -> set[int]:
        """Return the numbers of the lines, from 1, that show a result; prose may show a rounded one."""
        informative = self._informative_in_prose if prose else self.informative
        return {number for number, line in enumerate(lines, 1) if self._results_in(line, informative)}

    def has_several(self, text: str) -> bool:
        """True if a text has several different results, and not only because it has so many numbers."""
        results = {result for line in text.split("\n") for result in self._results_in(line, self.informative)}
        if len(results) < LEAST_RESULTS:
            return False
        numbers = set(numbers_in(text))
        return len(results) > 1 + 2 * sum(self._chance(result, numbers) for result in results)

    def _results_in(self, line: str, informative: frozenset[str]) -> set[str]:
        """Return the results that a line shows.

        A line shows an informative number, several numbers of a row, or one number beside the row's name.
        """
        numbers = self._all_numbers.intersection(numbers_in(line, self._beginnings))
        if not numbers:
            return set()
        results = set(informative & numbers)
        for row, row_numbers in zip(self.rows, self._row_numbers, strict=True):
            shown = row_numbers & numbers
            if len(shown) >= 2 or (shown and row.words and row.words <= label_words(line)):
                results |= shown
        return results

    def _chance(self, result: str, numbers: Collection[str]) -> float:
        """Return the share of close numbers, which are no results, that a text has too."""
        if re.fullmatch(r"[0-9]*\.?[0-9]+", result) is None:
            return 0.0
        number = Decimal(result)
        step = Decimal(1).scaleb(int(number.as_tuple().exponent))
        shifted = {
            plain_number(f"{number + step * shift:f}") for shift in _SHIFTS if number + step * shift > 0
        }
        neighbours = shifted - self._all_numbers
        return sum(text in numbers for text in neighbours) / len(neighbours) if neighbours else 0.0
