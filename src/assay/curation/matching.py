"""Stage 5: the links of numbers to the runs that make them, and when a number of a run is the printed one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from assay.curation.evidence import EvidencePlace
from assay.curation.labels import label_words
from assay.curation.paper import CellNumber, PaperTable, TableCell
from assay.curation.running import CommandRuns, RunNumber
from assay.rules.numbers import prediction_half_width
from assay.tasks.metric import Strict

VERSION = 2
ENOUGH_DIGITS = 4
SHIFTS = (-23, -13, -7, -4, 4, 7, 13, 23)
"""Steps of the last digit by which numbers are moved, to see how many agree by chance."""
_OF_THE_PAPER = frozenset(["paper", "expected", "published", "reported", "manuscript", "claimed", "printed"])
_VALUE_WORDS = frozenset(["value", "values", "result", "number"])
Basis = Literal["value", "row name", "column name", "structure", "model"]
Relation = Literal["order", "difference", "ratio", "change"]


class NumberLink(Strict):
    """One cell of a table, and the output that makes its number."""

    document: str
    """`paper`, or the README with the table."""
    table: str
    row: int
    column: int
    row_label: str
    column_label: str
    printed: CellNumber
    place: EvidencePlace
    command: str
    """The id of the command."""
    number: RunNumber
    scale: float
    """The output times this is the printed number: 100 for a share that is printed in percent."""
    basis: list[Basis]


class LinkedTable(Strict):
    """How far the numbers of one table, or of the sentences of one document, come out again."""

    document: str
    table: str
    caption: str
    cells: int
    """Cells with a number, without labels of rows."""
    linked: int
    in_sentences: bool = False
    """Whether these are the numbers that the sentences of a document state."""


class StatedComparison(Strict):
    """Two numbers that one sentence states, and whether the runs agree with what it says of them."""

    document: str
    place: EvidencePlace
    relation: Relation
    """`order`, or what a third number of the sentence is: `difference`, `ratio` or `change` in percent."""
    first: str
    """The first number as it is printed."""
    second: str
    stated: str
    """`higher`, `lower` or `same` for the first number; else the third number as it is printed."""
    measured: list[float]
    """What each run gives: first minus second for an order."""
    is_confirmed: bool
    """Whether every run gives what the sentence says."""


class LinksStage(Strict):
    """5-links.json."""

    tables: list[LinkedTable]
    links: list[NumberLink]
    refuted: int = 0
    """How many links a model proposed that the runs do not confirm."""
    comparisons: list[StatedComparison] = []
    """Comparisons of two linked numbers in one sentence."""

    def count(self, *, in_sentences: bool) -> tuple[int, int]:
        """Return how many numbers of tables, or of sentences, come out again, and of how many."""
        groups = [table for table in self.tables if table.in_sentences == in_sentences]
        return sum(table.linked for table in groups), sum(table.cells for table in groups)


class LinkCandidate(NamedTuple):
    """An output that may make the number of a cell."""

    cell: TableCell
    number: RunNumber
    command: CommandRuns
    scale: float


def repeats_paper(number: RunNumber) -> bool:
    """Whether a program only repeats a number of the paper beside its own (`computed=0.31 paper=0.30`)."""
    words = re.findall(r"[a-z]+", number.name.lower())
    named = [word for word in words if word not in _VALUE_WORDS][-1:]
    return bool(set(named) & _OF_THE_PAPER)


def candidates_of(cell: TableCell, command: CommandRuns) -> Iterator[LinkCandidate]:
    printed = cell.number
    assert printed is not None
    scales = [1.0, 100.0] if printed.percent or 1 < abs(printed.value) <= 100 else [1.0]
    for number in command.numbers:
        if repeats_paper(number):
            continue
        for scale in scales:
            if agrees(printed, number.values, scale):
                yield LinkCandidate(cell, number, command, scale)
                break


def agrees(printed: CellNumber, values: Sequence[float], scale: float, shift: float = 0.0) -> bool:
    """Whether a run's number is the printed one at its precision, or within the noise of the runs."""
    center = sum(values) / len(values) * scale
    noise = prediction_half_width(list(values)) * scale if len(set(values)) > 1 else 0.0
    allowed = 0.5001 * printed.unit + (noise if noise < abs(center) else 0.0)
    return abs(center - printed.value - shift * printed.unit) <= allowed


def information(printed: CellNumber) -> int:
    """Return the significant digits of a number; round numbers such as 0, 1 and 100 say nothing."""
    return 0 if printed.value in (0.0, 1.0, 10.0, 100.0, 1000.0) else printed.digits


def link_of(document: str, table: PaperTable, candidate: LinkCandidate, basis: list[Basis]) -> NumberLink:
    """Return the link of a cell, with the names that speak for it."""
    cell = candidate.cell
    row_label, column_label = table.labels_of(cell)
    number = candidate.number
    if label_words(row_label) & label_words(f"{number.label} {number.key}"):
        basis = [*basis, "row name"]
    if label_words(column_label) & label_words(number.name or f"{number.label} {number.key}"):
        basis = [*basis, "column name"]
    assert cell.number is not None
    return NumberLink(
        document=document,
        table=table.id,
        row=cell.row,
        column=cell.column,
        row_label=row_label,
        column_label=column_label,
        printed=cell.number,
        place=cell.place,
        command=candidate.command.command.id,
        number=candidate.number,
        scale=candidate.scale,
        basis=basis,
    )
