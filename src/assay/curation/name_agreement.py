"""How well the name of an output agrees with the labels of a cell, and which lines repeat a whole row.

Equal values are common in a table, so the names of row and column decide between outputs of equal value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from assay.curation.labels import label_words
from assay.curation.matching import LinkCandidate, agrees
from assay.curation.paper import PaperTable, TableCell
from assay.curation.running import CommandRuns, RunNumber, RunsStage

ENOUGH_WORDS = 0.5
"""An output is named by a label if it has at least this share of its words."""
OutputAddress = tuple[str, str, str, int, int]


def address_of(command: CommandRuns, number: RunNumber) -> OutputAddress:
    """Return what tells an output from all others."""
    return (command.command.id, number.source, number.key, number.occurrence, number.position)


class NameAgreement:
    """Compares the labels of one table with the names of outputs."""

    def __init__(self, table: PaperTable, cells: Sequence[TableCell], runs: RunsStage) -> None:
        self._table = table
        self._rows_in_order = frozenset(_rows_in_order(cells, runs))

    def row_share(self, cell: TableCell, number: RunNumber) -> float:
        """Return which share of the words of the row's label the output's line or path has."""
        return _share(label_words(self._table.rows[cell.row]), _words_around(number))

    def column_share(self, cell: TableCell, number: RunNumber) -> float:
        """Return which share of the words of the column's label the output's own name has."""
        return _share(label_words(self._table.labels_of(cell)[1]), _own_words(number))

    def of(self, candidate: LinkCandidate) -> tuple[float, float]:
        """Return the shares of row and column; the same place in a line with the whole row counts as well."""
        cell, number = candidate.cell, candidate.number
        column = self.column_share(cell, number)
        place = (cell.row, cell.column, *address_of(candidate.command, number))
        return self.row_share(cell, number), max(column, float(place in self._rows_in_order))

    def are_both(self, candidate: LinkCandidate) -> bool:
        """Whether row and column both name the output."""
        row, column = self.of(candidate)
        return row >= ENOUGH_WORDS and column >= ENOUGH_WORDS

    def names_another(self, cell: TableCell, runs: RunsStage) -> bool:
        """Whether all words of row and column name an output, whatever its value is."""
        return any(
            self.row_share(cell, number) == 1.0 == self.column_share(cell, number)
            for command in runs.with_numbers
            for number in command.numbers
        )


def _share(label: frozenset[str], words: frozenset[str]) -> float:
    return len(label & words) / len(label) if label else 0.0


@cache
def _words(text: str) -> frozenset[str]:
    return label_words(text)


def _words_around(number: RunNumber) -> frozenset[str]:
    return _words(f"{number.label} {number.key}")


def _own_words(number: RunNumber) -> frozenset[str]:
    return _words(number.name) if number.name else _words_around(number)


def _rows_in_order(
    cells: Sequence[TableCell], runs: RunsStage
) -> Iterable[tuple[int, int, str, str, str, int, int]]:
    """The places of cells whose whole row stands in one line, in the same order."""
    rows: dict[int, list[TableCell]] = {}
    for cell in cells:
        rows.setdefault(cell.row, []).append(cell)
    for command in runs.with_numbers:
        lines: dict[tuple[str, str, int], list[RunNumber]] = {}
        for number in command.numbers:
            lines.setdefault((number.source, number.key, number.occurrence), []).append(number)
        for row_cells in rows.values():
            for numbers in lines.values():
                if len(row_cells) > 1 and _repeats_row(row_cells, numbers):
                    for cell, number in zip(row_cells, numbers, strict=True):
                        yield (cell.row, cell.column, *address_of(command, number))


def _repeats_row(cells: Sequence[TableCell], numbers: Sequence[RunNumber]) -> bool:
    if len(cells) != len(numbers):
        return False
    return all(
        cell.number is not None and agrees(cell.number, number.values, 1.0)
        for cell, number in zip(cells, numbers, strict=True)
    )
