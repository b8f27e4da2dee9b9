"""Finds what documents repeat of a run: lines that it prints or writes, and whole tables with a result.

A table of results often has rows without an informative number, such as letters or counts. They give the
answer away as well, so they are found by what the run prints, and by the table that they belong to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

_LEAST_LETTERS = 8
"""A shorter line is too common to show where it comes from."""
_MARKUP = re.compile(r"[\s|*`_]+|-{3,}")
_STORED_SHARE = 0.5


def output_lines(outputs: Iterable[str]) -> frozenset[str]:
    """Return the lines of a run's outputs, without markup."""
    lines = (_plain(line) for text in outputs for line in text.splitlines())
    return frozenset(line for line in lines if len(line) >= _LEAST_LETTERS)


def repeated_lines(lines: Sequence[str], printed: Collection[str]) -> set[int]:
    """Return the numbers of the lines, from 1, that a run prints: rows of tables, and lines with numbers."""
    return {
        number
        for number, line in enumerate(lines, 1)
        if ("|" in line or any(character.isdigit() for character in line)) and _plain(line) in printed
    }


def is_stored_output(lines: Sequence[str], printed: Collection[str]) -> bool:
    """Whether more than half of a file is what a run prints."""
    words = [line for line in lines if len(_plain(line)) >= _LEAST_LETTERS]
    repeated = sum(_plain(line) in printed for line in words)
    return repeated >= 2 and repeated > _STORED_SHARE * len(words)


def with_whole_tables(lines: Sequence[str], numbers: Collection[int]) -> set[int]:
    """Return the line numbers with all other lines of the pipe tables in which they are."""
    whole = set(numbers)
    for number in numbers:
        for step in (-1, 1):
            at = number
            while 1 <= at <= len(lines) and lines[at - 1].lstrip().startswith("|"):
                whole.add(at)
                at += step
    return whole


def _plain(line: str) -> str:
    return _MARKUP.sub(" ", line).strip().lower()
