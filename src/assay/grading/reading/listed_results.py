"""Re-made results as a reader sees them: one line for each number, in their own order, with their labels.

Of a series that is too long, and of each column of a table that is too long, what sums it up is listed. The
mean comes first, so that a reader who names the ends of a series has seen its mean.
"""

from __future__ import annotations

import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from assay.grading.judge.guard import Page
from assay.grading.reading.blind_reader import page_of
from assay.grading.reading.long_series import FEW_KINDS, KINDS, Kind, LongSeries, SeriesEntry
from assay.printable import spelled_out
from assay.rules.written_values import as_number

MOST_LISTED = 1_000
"""Numbers of the results that a reader is shown; where there are more, nothing is compared."""
LONG_SERIES = 50
"""Numbers side by side from which on only what sums them up is shown."""
LONGEST_LABEL = 80
"""Characters of a text that is shown because it may say what the numbers beside it are."""
LONG_TABLE = 20
"""Rows of a table from which on only what sums up its columns is shown, where there is too much to read."""
MOST_GROUPS = 20
"""Different texts in a column of a long table up to which its rows are grouped by them."""
MOST_LEAVES = 20_000
"""Entries of the results that are looked through."""
MOST_IN_TABLES = 200_000
"""Entries of results up to which the columns of their long tables are summed up."""
LONGEST_LIST = 40_000
"""Characters of all lines together; what comes after them is left out."""
LONGEST_PATH = 300
"""Characters of a path; entries with longer ones are not shown."""
ALL_ROWS = sys.maxsize
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class ListedResults:
    """The numbers by path, and the lines that show them."""

    text: str
    numbers: Mapping[str, float]
    labels: tuple[str, ...] = ()
    """The short texts among the results, and the names of entries: they say what the numbers are."""
    is_partial: bool = False
    """Whether rows of long tables are left out: what is not shown may be there."""
    is_cut: bool = False
    """Whether numbers are left out that nothing sums up."""
    series: Mapping[str, SeriesEntry] = field(default_factory=dict)
    """The entries that sum up a long series, by their paths."""

    @property
    def page(self) -> Page:
        """The lines alone, as a page."""
        return page_of("results", self.text)

    @property
    def can_be_shown(self) -> bool:
        """Whether there are numbers, and few enough to read."""
        return 0 < len(self.numbers) <= MOST_LISTED


@dataclass(frozen=True)
class _Detail:
    """How much of the results is listed."""

    most_rows: int
    kinds: tuple[Kind, ...]


DETAILS = (
    _Detail(ALL_ROWS, KINDS),
    _Detail(ALL_ROWS, FEW_KINDS),
    _Detail(LONG_TABLE, KINDS),
    _Detail(LONG_TABLE, FEW_KINDS),
)
"""From the most to the least; the first that can be read is used."""


def list_results(results: object) -> ListedResults:
    """The numbers of some results and the short texts beside them; of a long series what sums it up.

    Where these are too many to read, the same is done with the columns of long tables, such as one with a row
    for each run.
    """
    has_too_many = any(True for _ in islice(_entries(results), MOST_IN_TABLES, None))
    for detail in DETAILS[:2] if has_too_many else DETAILS:
        listed = _list(results, detail)
        if len(listed.numbers) <= MOST_LISTED and not listed.is_cut:
            break
    return listed


def _entries(value: object) -> Iterator[object]:
    """The values of all entries."""
    if isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _entries(inner)
    else:
        yield value


class _Lines:
    """The lines so far, up to the limits."""

    def __init__(self, labels: list[str]) -> None:
        self.lines: list[str] = []
        self.length = 0
        self.numbers: dict[str, float] = {}
        self.series: dict[str, SeriesEntry] = {}
        self.labels = labels

    @property
    def is_full(self) -> bool:
        return self.length > LONGEST_LIST

    def add(self, path: str, value: object, kinds: Sequence[Kind]) -> None:
        """One entry, or what sums up a series."""
        if isinstance(value, LongSeries):
            for name, kind in value.entries(kinds):
                if self._add_number(name, value.value(kind)):
                    self.series[name] = SeriesEntry(value, kind)
        elif (number := _finite(value)) is not None:
            self._add_number(path, number)
        elif isinstance(value, bool):
            self._add_line(path, str(value).lower())
        elif isinstance(value, str) and (label := _label(value)) and self._add_line(path, f"“{label}”"):
            self.labels.append(label)

    def _add_number(self, path: str, number: float) -> bool:
        if not math.isfinite(number) or not self._add_line(path, f"{number:.6g}"):
            return False
        self.numbers[path] = number
        return True

    def _add_line(self, path: str, shown_value: str) -> bool:
        line = f"{path} = {shown_value}"
        self.length += len(line) + 1
        if self.is_full:
            return False
        self.lines.append(line)
        return True


def _list(results: object, detail: _Detail) -> ListedResults:
    lines = _Lines(list(dict.fromkeys(islice(_names(results), MOST_LEAVES))))
    is_cut = False
    for count, (path, value) in enumerate(_leaves(results, "", detail.most_rows)):
        if count >= MOST_LEAVES or len(lines.numbers) > MOST_LISTED or lines.is_full:
            is_cut = True
            break
        if path is not None:
            lines.add(path, value, detail.kinds)
    is_partial = detail.most_rows < ALL_ROWS or lines.is_full
    return ListedResults(
        "\n".join(lines.lines),
        lines.numbers,
        tuple(lines.labels),
        is_partial,
        is_cut or lines.is_full,
        lines.series,
    )


def _label(text: str) -> str:
    return " ".join(text.split())[:LONGEST_LABEL]


def _names(value: object) -> Iterator[str]:
    """The names on the way to the entries, without places in lists."""
    inner = list(value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else []
    if isinstance(value, Mapping):
        yield from map(str, value)
    for entry in inner:
        yield from _names(entry)


def _leaves(value: object, path: str, most_rows: int) -> Iterator[tuple[str | None, object]]:
    """Paths and values of the entries; None for the path of all entries below one that is too long."""
    if len(path) > LONGEST_PATH:
        yield None, value
    elif (series := _series(value, path)) is not None:
        yield path, series
    elif isinstance(value, Mapping | list) and len(value) > most_rows and _is_table(value):
        rows = list(value.values()) if isinstance(value, Mapping) else value
        yield from _columns(rows, _below(path, "*"), most_rows)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, _below(path, spelled_out(str(key))), most_rows)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _leaves(inner, _below(path, str(place)), most_rows)
    else:
        yield path, value


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path and name else path or name


def _finite(value: object) -> float | None:
    number = as_number(value)
    return number if number is not None and math.isfinite(number) else None


def _series(value: object, path: str) -> LongSeries | None:
    """A long list of numbers as a series; None for everything else, and where no number is finite."""
    if not isinstance(value, list) or len(value) <= LONG_SERIES:
        return None
    if any(as_number(entry) is None for entry in value):
        return None
    finite = [number for entry in value if (number := _finite(entry)) is not None]
    return LongSeries(path, [finite]) if finite else None


def _is_table(value: Mapping[str, object] | list[object]) -> bool:
    """Whether it is a list, or an object whose names differ only in their digits, such as `run_01`."""
    return isinstance(value, list) or len({_DIGITS.sub("#", str(name)) for name in value}) == 1


def _columns(rows: Sequence[object], path: str, most_rows: int) -> Iterator[tuple[str | None, object]]:
    """Each column of a long table as a series, apart for each text that its rows share, such as a method."""
    leaves = [
        [(name, value) for name, value in _leaves(row, "", most_rows) if name is not None] for row in rows
    ]
    grouping = _grouping_names(leaves)
    columns: dict[tuple[tuple[str, ...], str], list[list[float]]] = {}
    for row in leaves:
        group = tuple(
            f"{name}={text}" for name, value in row if name in grouping and (text := _group_text(value))
        )
        for name, value in row:
            runs = columns.setdefault((group, name), [[]])
            if isinstance(value, LongSeries):
                runs.extend(map(list, value.runs))
            elif (number := _finite(value)) is not None:
                runs[0].append(number)
    for (group, name), runs in columns.items():
        column_path = _below(f"{path}[{', '.join(group)}]" if group else path, name)
        if measured := [run for run in runs if run]:
            yield column_path, LongSeries(column_path, measured)


def _grouping_names(rows: Sequence[Sequence[tuple[str, object]]]) -> set[str]:
    """The columns with few different texts."""
    texts: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for name, value in row:
            if text := _group_text(value):
                texts[name].add(text)
    return {name for name, different in texts.items() if len(different) <= MOST_GROUPS}


def _group_text(value: object) -> str:
    """What a row has in common with others: a short text, or whether something is so; "" for the rest."""
    if isinstance(value, bool):
        return str(value).lower()
    return spelled_out(_label(value)) if isinstance(value, str) and as_number(value) is None else ""
