"""A paper as data; every part knows its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from assay.curation.evidence import EvidencePlace
from assay.tasks.metric import Strict


class CellNumber(Strict):
    """A number as a paper prints it."""

    text: str
    """As it is printed."""
    value: float
    """Its value; 77.5% is 77.5."""
    unit: float
    """One step of its last printed digit."""
    digits: int
    """Its significant digits."""
    percent: bool = False
    """Whether a percent sign is behind it."""
    spread: float | None = None
    """What the paper prints behind ±."""


class TableCell(Strict):
    """One cell of a table."""

    row: int
    """The row below the header, from 0."""
    column: int
    """The column, from 0."""
    text: str
    """Its words, without markup."""
    number: CellNumber | None = None
    """Its number; None if it is a word."""
    place: EvidencePlace


class PaperTable(Strict):
    """A table as data."""

    id: str
    """Its label, or table-N in the order of the paper."""
    caption: str
    """Its caption, without markup."""
    place: EvidencePlace
    columns: list[str]
    """The heading of each column; several header rows are joined."""
    rows: list[str]
    """The label of each row: the words before its first number."""
    cells: list[TableCell]
    """Every cell below the header."""

    @property
    def numbers(self) -> Iterator[TableCell]:
        """The cells that have a number."""
        return (cell for cell in self.cells if cell.number is not None)

    @property
    def is_ranked(self) -> bool:
        """Whether the first column only counts the rows, which their labels name: their order is a result."""
        first = [cell for cell in self.cells if cell.column == 0]
        counts = [cell.number.value if cell.number else None for cell in first]
        is_named = all(cell.text not in self.rows[cell.row].split() for cell in first)
        return len(counts) > 1 and counts == list(range(1, len(counts) + 1)) and is_named

    def labels_of(self, cell: TableCell) -> tuple[str, str]:
        """The labels of the row and of the column of a cell."""
        return self.rows[cell.row], self.columns[cell.column] if cell.column < len(self.columns) else ""


class PaperSection(Strict):
    """A section with its own text, without its subsections."""

    title: str
    level: int
    """1 for a section, 2 for a subsection."""
    place: EvidencePlace
    text: str
    """Its text without markup; a reference to a table is `[label]`."""


class SentenceNumber(Strict):
    """A number that a sentence states."""

    number: CellNumber
    start: int
    """Where it begins in the sentence."""
    end: int
    """Where it ends, without a percent sign and a spread."""


class PaperSentence(Strict):
    """A sentence of the text that states a number."""

    text: str
    section: str
    """The title of its section."""
    place: EvidencePlace
    numbers: list[SentenceNumber]


class PaperEquation(Strict):
    """A displayed equation, as it is written."""

    place: EvidencePlace
    source: str


class PaperText(Strict):
    """A whole paper."""

    title: str
    format: Literal["latex", "markdown", "text", "pdf"]
    sections: list[PaperSection]
    tables: list[PaperTable]
    sentences: list[PaperSentence] = []
    """The sentences that state numbers."""
    equations: list[PaperEquation] = []
    citations: dict[str, list[EvidencePlace]] = {}
    """Key → where it is cited."""
    figures: list[str] = []
    """The captions of the figures."""
    not_read: list[str] = []
    """What this format does not give, or what could not be read."""

    @property
    def number_count(self) -> int:
        """How many cells of tables have a number."""
        return sum(sum(1 for _ in table.numbers) for table in self.tables)

    @property
    def stated_count(self) -> int:
        """How many numbers the sentences state."""
        return sum(len(sentence.numbers) for sentence in self.sentences)
