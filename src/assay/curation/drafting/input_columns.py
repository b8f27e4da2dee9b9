"""Leaves out the columns of a table that only repeat the inputs of an experiment.

A table often prints the settings of each row beside its results. Such a column stands in a file that the run
reads, and is no result that an agent could find.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assay.curation.injected.output_numbers import NUMBER, as_number
from assay.curation.matching import SHIFTS, NumberLink

MOST_READ = 4_000_000
"""Bytes of one file that are searched; a longer one has every number."""
_DENSE = 0.5


def without_inputs(links: Sequence[NumberLink], inputs: Iterable[bytes]) -> list[NumberLink]:
    """Return the links of the columns whose numbers do not all stand in one file of the inputs."""
    files = [_numbers_of(data) for data in inputs if len(data) <= MOST_READ and b"\0" not in data[:4096]]
    columns = dict.fromkeys(link.column for link in links)
    dropped = set()
    for column in columns:
        own_links = [link for link in links if link.column == column]
        if len(own_links) > 1 and any(_repeats(own_links, numbers) for numbers in files):
            dropped.add(column)
    return [link for link in links if link.column not in dropped]


def _numbers_of(data: bytes) -> frozenset[float]:
    text = re.sub(r"(?<=\d)_(?=\d)", "", data.decode(errors="replace"))
    values = (as_number(match.group()) for match in NUMBER.finditer(text))
    return frozenset(value for value in values if value is not None)


def _repeats(links: Sequence[NumberLink], numbers: frozenset[float]) -> bool:
    """Whether a file has all numbers of a column, and not because it has nearly every number."""
    if not all(_has(link, numbers, 0) for link in links):
        return False
    shifted = [_has(link, numbers, shift) for link in links for shift in SHIFTS]
    return sum(shifted) / len(shifted) < _DENSE


def _has(link: NumberLink, numbers: frozenset[float], shift: int) -> bool:
    """Whether the run's own number, or the printed one, is among the numbers; `shift` moves it."""
    step = shift * link.printed.unit
    return bool({link.number.values[0] + step / link.scale, link.printed.value + step} & numbers)
