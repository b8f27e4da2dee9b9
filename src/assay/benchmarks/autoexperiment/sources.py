"""Where a published function truly stands: found by its name in the syntax tree, whatever its lines say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.benchmarks.autoexperiment.rows import PublishedFunction
from assay.errors import TaskError
from assay.masking.engine import Function, Unparsable, find_functions


@dataclass(frozen=True)
class Found:
    """A published function and the definition that it names."""

    published: PublishedFunction
    function: Function
    header: int
    """The true line of its `def`, from 1."""
    alike: int
    """How many functions of the file have its last name."""

    @property
    def lines_are_right(self) -> bool:
        """Whether the published lines are those of the header and of the whole body."""
        published = self.published
        return published.header_line == self.header and published.line_end == self.function.end_line


def locate(published: Sequence[PublishedFunction], files: Mapping[str, bytes]) -> dict[str, Found]:
    """Function id → definition, for functions of one source tree.

    Of several functions with one name in a file, the published order decides: the first published one (by
    its line) is the first of those that are nearest as a whole, so that a shifted file does not mislead.
    """
    found: dict[str, Found] = {}
    for file in dict.fromkeys(each.file for each in published):
        functions = _functions(file, files)
        for name in dict.fromkeys(each.name for each in published if each.file == file):
            rows = [each for each in published if (each.file, each.name) == (file, name)]
            there = [each for each in functions if _last(each) == name]
            if len(there) < len(rows):
                raise TaskError(
                    f"{rows[0].paper}/{file}",
                    f"{len(rows)} published functions are called {name!r}, the file has {len(there)}",
                    hint="is it the source tree of the pinned commit?",
                )
            headers = {each.name: _header_line(each, files[file]) for each in there}
            for row, function in zip(
                sorted(rows, key=lambda row: row.header_line or 0),
                _nearest(rows, there, headers),
                strict=True,
            ):
                found[row.id] = Found(row, function, headers[function.name], len(there))
    return {each.id: found[each.id] for each in published}


def _functions(file: str, files: Mapping[str, bytes]) -> list[Function]:
    if file not in files:
        raise TaskError(file, "is not in the source tree", hint="is it that of the pinned commit?")
    try:
        return find_functions(files[file])
    except Unparsable as error:
        raise TaskError(file, f"cannot be parsed: {error.reason}") from None


def _nearest(
    rows: Sequence[PublishedFunction], there: Sequence[Function], headers: Mapping[str, int]
) -> list[Function]:
    """For rows in the order of their lines, the definitions, in order too, that lie nearest in all."""
    lines = sorted(row.header_line or 0 for row in rows)
    # best[k]: least total distance of the first k rows among the definitions seen so far, and the choice.
    best: list[tuple[float, list[Function]]] = [(0.0, []), *((float("inf"), []) for _ in lines)]
    for function in there:
        for taken in range(len(lines), 0, -1):
            distance, chosen = best[taken - 1]
            whole = distance + abs(headers[function.name] - lines[taken - 1])
            if whole < best[taken][0]:
                best[taken] = (whole, [*chosen, function])
    return best[-1][1]


def _last(function: Function) -> str:
    return function.name.rpartition(".")[2].partition("#")[0]


def _header_line(function: Function, source: bytes) -> int:
    """The line of the `def`, behind the decorators."""
    lines = source[function.start : function.body_start].splitlines()
    before = next(
        (number for number, line in enumerate(lines) if line.lstrip().startswith((b"def ", b"async def "))), 0
    )
    return function.line + before
