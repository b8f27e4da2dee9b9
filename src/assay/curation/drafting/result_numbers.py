"""Recognizes the results of a table: in single lines, and as several different numbers of one text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from assay.curation.drafting.model import DraftMetric
from assay.curation.labels import label_words

LEAST_RESULTS = 2
"""Different results in one text that are no chance."""
_LEAST_DIGITS = 3
_SHIFTS = (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5)
"""Steps of the last digit, to numbers that are no results: data have them as often as the results."""
_NUMBER = re.compile(r"\.?[0-9]+(?:\.[0-9]+)*(?:[eE][-+]?[0-9]+)?")
_GROUPED = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9])")
"""A number with commas between thousands."""
_SHORT_NUMBER = 7
"""A number with fewer characters has no more digits than a rounded one."""


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
        rows.append(ResultRow(label_words(label), tuple(text for text in printed if _digits(text) >= 2)))
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
        return frozenset(_plain(text) for text in texts if _digits(text) >= _LEAST_DIGITS)

    @cached_property
    def _all_numbers(self) -> frozenset[str]:
        return self.informative | {_plain(text) for row in self.rows for text in row.printed}

    def lines_with_results(self, lines: Sequence[str]) -> set[int]:
        """Return the numbers of the lines, from 1, that show a result."""
        return {number for number, line in enumerate(lines, 1) if self._results_in(line)}

    def has_several(self, text: str) -> bool:
        """True if a text has several different results, and not only because it has so many numbers."""
        results = {result for line in text.split("\n") for result in self._results_in(line)}
        if len(results) < LEAST_RESULTS:
            return False
        numbers = set(_numbers_in(text))
        return len(results) > 1 + 2 * sum(self._chance(result, numbers) for result in results)

    def _results_in(self, line: str) -> set[str]:
        """Return the results that a line shows.

        A line shows an informative number, several numbers of a row, or one number beside the row's name.
        """
        numbers = self._all_numbers.intersection(_numbers_in(line))
        if not numbers:
            return set()
        results = set(self.informative & numbers)
        for row in self.rows:
            shown = {_plain(text) for text in row.printed} & numbers
            if len(shown) >= 2 or (shown and row.words and row.words <= label_words(line)):
                results |= shown
        return results

    def _chance(self, result: str, numbers: Collection[str]) -> float:
        """Return the share of close numbers, which are no results, that a text has too."""
        if re.fullmatch(r"[0-9]*\.?[0-9]+", result) is None:
            return 0.0
        number = Decimal(result)
        step = Decimal(1).scaleb(int(number.as_tuple().exponent))
        shifted = {f"{number + step * shift:f}" for shift in _SHIFTS if number + step * shift > 0}
        others = shifted - self._all_numbers
        return sum(other in numbers for other in others) / len(others) if others else 0.0


def _numbers_in(text: str) -> Iterator[str]:
    """Yield the numbers of a text as they are written, and rounded to six digits; signs do not count."""
    yield from (match.group().replace(",", "") for match in _GROUPED.finditer(text))
    for match in _NUMBER.finditer(text):
        number = match.group()
        yield number
        if len(number) >= _SHORT_NUMBER:
            try:
                yield f"{float(number):.6g}"
            except ValueError:
                continue


def _plain(number: str) -> str:
    """Return the first number of a printed text without its sign, its unit and its separators."""
    match = _NUMBER.search(re.sub(r"(?<=[0-9])[,\u202f ](?=[0-9]{3})", "", number))
    return match.group() if match else number


def _digits(text: str) -> int:
    return len(re.sub(r"[^\d]", "", _plain(text).lower().partition("e")[0]).lstrip("0"))
