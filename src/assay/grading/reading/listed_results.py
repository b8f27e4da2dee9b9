"""Re-made results as a reader sees them: one line for each number, in their own order, with their labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from assay.grading.judge.guard import Page
from assay.grading.reading.blind_reader import page_of
from assay.printable import spelled_out
from assay.rules.written_values import as_number

MOST_LISTED = 1_000
"""Numbers of the results that a reader is shown; where there are more, nothing is compared."""
LONG_SERIES = 50
"""Numbers side by side from which on only the first and the last are shown."""
LONGEST_LABEL = 80
"""Characters of a text that is shown because it may say what the numbers beside it are."""
LONG_TABLE = 20
"""Rows of a table from which on only the first and the last are shown, where there are too many numbers."""
MOST_LEAVES = 20_000
"""Entries of the results that are looked through."""
LONGEST_LIST = 40_000
"""Characters of all lines together; what comes after them is left out."""
LONGEST_PATH = 300
"""Characters of a path; entries with longer ones are not shown."""


@dataclass(frozen=True)
class ListedResults:
    """The numbers by path, and the lines that show them."""

    text: str
    numbers: Mapping[str, float]
    labels: tuple[str, ...] = ()
    """The short texts among the results, and the names of entries: they say what the numbers are."""
    is_partial: bool = False
    """Whether rows of long tables are left out: what is not shown may be there."""

    @property
    def page(self) -> Page:
        """The lines alone, as a page."""
        return page_of("results", self.text)

    @property
    def can_be_shown(self) -> bool:
        """Whether there are numbers, and few enough to read."""
        return 0 < len(self.numbers) <= MOST_LISTED


def list_results(results: object) -> ListedResults:
    """The numbers of some results and the short texts beside them; of a long series its two ends.

    Where these are too many to read, rows of long tables, such as one for each run, are left out too.
    """
    listed = _list(results, most_rows=MOST_LEAVES)
    return listed if len(listed.numbers) <= MOST_LISTED else _list(results, most_rows=LONG_TABLE)


def _list(results: object, most_rows: int) -> ListedResults:
    numbers: dict[str, float] = {}
    lines: list[str] = []
    is_partial = most_rows < MOST_LEAVES
    length = 0
    labels = list(dict.fromkeys(islice(_names(results), MOST_LEAVES)))
    for count, (path, value) in enumerate(_leaves(results, "", most_rows)):
        if count >= MOST_LEAVES or len(numbers) > MOST_LISTED:
            break
        if path is None:
            continue
        number, label = as_number(value), ""
        if number is not None and math.isfinite(number):
            shown_value = f"{number:.6g}"
        elif isinstance(value, bool):
            shown_value = str(value).lower()
        elif isinstance(value, str) and value.strip():
            label = " ".join(value.split())[:LONGEST_LABEL]
            shown_value = f"“{label}”"
        else:
            continue
        line = f"{path} = {shown_value}"
        length += len(line) + 1
        if length > LONGEST_LIST:
            is_partial = True
            break
        lines.append(line)
        if label:
            labels.append(label)
        elif number is not None:
            numbers[path] = number
    return ListedResults("\n".join(lines), numbers, tuple(labels), is_partial)


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
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            name = spelled_out(str(key))
            yield from _leaves(inner, f"{path}.{name}" if path else name, most_rows)
    elif isinstance(value, list):
        is_series = len(value) > LONG_SERIES and all(as_number(entry) is not None for entry in value)
        places = (0, len(value) - 1) if is_series or len(value) > most_rows else range(len(value))
        for place in places:
            yield from _leaves(value[place], f"{path}.{place}" if path else str(place), most_rows)
    else:
        yield path, value
