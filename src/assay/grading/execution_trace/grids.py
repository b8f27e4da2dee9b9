"""Results that were chosen from a list in a program: another order of the list does not change the choice.

A list is a row of numbers in brackets or in quotes ("[0.125, 0.25, 0.5]"), or behind `in` in a shell script.

What it does not cover: lists of numbers with names, one number on a line, a choice that depends on the order
in which the list is tried, and code that chooses for show: whoever reads the code sees that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import NamedTuple

from assay.grading.execution_trace.altered import altered
from assay.rules.literals import LITERAL, literal_value
from assay.rules.remade import leaves

_NUMBER = rb"[-+]?" + LITERAL.pattern
_LIST = re.compile(
    rb"(?:(?<![\w.)\]])[\[({\"']|\bin\b)\s*("
    + _NUMBER
    + rb"(?:[,\s]\s*"
    + _NUMBER
    + rb")+)(?=\s*[,\])}\"';\n])"
)
_ENTRY = re.compile(_NUMBER)


class NumberList(NamedTuple):
    """A list of numbers in a file, from which a run may have chosen one."""

    start: int
    end: int
    numbers: tuple[float, ...]


class ReorderedLists:
    """The files with their lists in another order, for the results that may be choices from them."""

    def __init__(self, files: Mapping[str, bytes], results: object, copies: Collection[float]) -> None:
        self._results = leaves(results)
        written = frozenset(map(abs, self._results.values()))
        lists = {path: _choice_lists(data, written, frozenset(copies)) for path, data in files.items()}
        all_lists = [number_list for in_file in lists.values() for number_list in in_file]
        self._listed = {number for number_list in all_lists for number in number_list.numbers}
        in_lists = self._listed.intersection(copies)
        self._paths = [path for path, number in self._results.items() if abs(number) in in_lists]
        self._followers: dict[float, set[float]] = {}
        """Number → the numbers that take its place."""
        for number_list in all_lists:
            for number, follower in pairwise((*number_list.numbers, number_list.numbers[0])):
                self._followers.setdefault(number, set()).add(follower)
        self.files = {path: _reordered(data, lists[path], in_lists) for path, data in files.items()}

    @property
    def found(self) -> bool:
        """Whether any result stands in a list."""
        return bool(self._paths)

    def were_chosen_from(self, remade: object) -> bool:
        """Whether a run over these files still chose from the lists, and did not take what took a place."""
        numbers = leaves(remade)
        return self.found and all(
            path in numbers and self._is_choice(abs(self._results[path]), abs(numbers[path]))
            for path in self._paths
        )

    def _is_choice(self, before: float, after: float) -> bool:
        return after in self._listed and (after == before or after not in self._followers[before])


def _choice_lists(data: bytes, written: Collection[float], copies: Collection[float]) -> list[NumberList]:
    """The lists that have chosen numbers, each once, and one that is no result: a whole list is no choice."""
    lists = []
    for match in _LIST.finditer(data):
        numbers = tuple(abs(literal_value(entry.lstrip(b"+-"))) for entry in _ENTRY.findall(match[1]))
        is_partly_taken = any(number not in written for number in numbers)
        repeated = [number for number in numbers if number in copies]
        if is_partly_taken and 0 < len(repeated) == len(set(repeated)):
            lists.append(NumberList(match.start(1), match.end(1), numbers))
    return lists


def _reordered(data: bytes, lists: Collection[NumberList], copies: Collection[float]) -> bytes:
    """A file with its lists moved up by one; a chosen number that stands elsewhere becomes another one."""
    parts, end = [], 0
    for number_list in lists:
        parts.append(_elsewhere(data[end : number_list.start], copies))
        parts.append(_moved_up(data[number_list.start : number_list.end]))
        end = number_list.end
    return b"".join([*parts, _elsewhere(data[end:], copies)])


def _elsewhere(part: bytes, copies: Collection[float]) -> bytes:
    return altered({"": part}, copies)[""]


def _moved_up(text: bytes) -> bytes:
    entries = _ENTRY.findall(text)
    moved = iter([*entries[1:], entries[0]])
    return _ENTRY.sub(lambda match: next(moved), text)
