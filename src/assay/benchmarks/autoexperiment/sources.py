"""Locates published functions by name in the syntax tree, because their published lines may be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.benchmarks.autoexperiment.rows import PublishedFunction
from assay.errors import TaskError
from assay.masking.engine import Function, Unparsable, find_functions


@dataclass(frozen=True)
class Definition:
    """A published function and its definition in the source tree."""

    published: PublishedFunction
    function: Function
    header: int
    """The actual line of its `def`, counted from 1."""
    namesakes: int
    """How many functions of the file have this name without its class."""

    @property
    def lines_are_right(self) -> bool:
        """Whether the published lines match the header and the whole body."""
        published = self.published
        return published.header_line == self.header and published.line_end == self.function.end_line


def locate(published: Sequence[PublishedFunction], files: Mapping[str, bytes]) -> dict[str, Definition]:
    """Return function id → definition, for the functions of one source tree.

    If several functions of a file have the same name, the order of the published lines is kept, and the
    definitions with the smallest total distance are chosen, so that shifted lines do no harm.
    """
    definitions: dict[str, Definition] = {}
    for file in dict.fromkeys(row.file for row in published):
        functions = _functions(file, files)
        for name in dict.fromkeys(row.name for row in published if row.file == file):
            rows = [row for row in published if (row.file, row.name) == (file, name)]
            namesakes = [function for function in functions if _last(function) == name]
            if len(namesakes) < len(rows):
                raise TaskError(
                    f"{rows[0].paper}/{file}",
                    f"{len(rows)} published functions are called {name!r}, the file has {len(namesakes)}",
                    hint="check that this is the source tree of the pinned commit",
                )
            headers = {function.name: _header_line(function, files[file]) for function in namesakes}
            for row, function in zip(
                sorted(rows, key=lambda row: row.header_line or 0),
                _nearest(rows, namesakes, headers),
                strict=True,
            ):
                definitions[row.id] = Definition(row, function, headers[function.name], len(namesakes))
    return {row.id: definitions[row.id] for row in published}


def _functions(file: str, files: Mapping[str, bytes]) -> list[Function]:
    if file not in files:
        raise TaskError(
            file, "is not in the source tree", hint="check that it is the tree of the pinned commit"
        )
    try:
        return find_functions(files[file])
    except Unparsable as error:
        raise TaskError(file, f"cannot be parsed: {error.reason}") from None


def _nearest(
    rows: Sequence[PublishedFunction], namesakes: Sequence[Function], headers: Mapping[str, int]
) -> list[Function]:
    """Choose a definition for each row, both in the order of their lines, with the least total distance."""
    lines = sorted(row.header_line or 0 for row in rows)
    # best[k]: the least total distance of the first k rows to the definitions so far, and those definitions.
    best: list[tuple[float, list[Function]]] = [(0.0, []), *((float("inf"), []) for _ in lines)]
    for function in namesakes:
        for count in range(len(lines), 0, -1):
            distance, functions = best[count - 1]
            total = distance + abs(headers[function.name] - lines[count - 1])
            if total < best[count][0]:
                best[count] = (total, [*functions, function])
    return best[-1][1]


def _last(function: Function) -> str:
    return function.name.rpartition(".")[2].partition("#")[0]


def _header_line(function: Function, source: bytes) -> int:
    """Return the line of the `def`, after the decorators."""
    lines = source[function.start : function.body_start].splitlines()
    before = next(
        (number for number, line in enumerate(lines) if line.lstrip().startswith((b"def ", b"async def "))), 0
    )
    return function.line + before
