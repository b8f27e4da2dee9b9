"""Stage 5: links the numbers of tables to the runs that make them: by value, by name, by table structure.

A column of a table and a pattern of an output (the same line, the same JSON key) are linked if several rows
agree at the printed precision, with at least four significant digits in all, and clearly more rows than agree
with shifted numbers. A single cell is linked if it has four digits and one output alone has its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from assay.curation.evidence import EvidencePlace
from assay.curation.labels import label_words
from assay.curation.paper import CellNumber, PaperTable, PaperText, TableCell
from assay.curation.running import CommandRuns, RunNumber, RunsStage
from assay.rules.numbers import prediction_half_width
from assay.tasks.metric import Strict

VERSION = 1
ENOUGH_DIGITS = 4
SHIFTS = (-23, -13, -7, -4, 4, 7, 13, 23)
"""Steps of the last digit by which numbers are moved, to see how many agree by chance."""
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


_Pattern = tuple[str, ...]


class LinkCandidate(NamedTuple):
    """An output that may make the number of a cell."""

    cell: TableCell
    number: RunNumber
    command: CommandRuns
    scale: float


def match_numbers(paper: PaperText, readmes: Mapping[str, PaperText], runs: RunsStage) -> LinksStage:
    """Link every table of the paper and of README files to the runs."""
    tables, links = [], []
    for document, text in (("paper", paper), *sorted(readmes.items())):
        for table in text.tables:
            cells = measured_cells(table)
            linked = list(_link_table(document, table, cells, runs))
            links += linked
            tables.append(
                LinkedTable(
                    document=document,
                    table=table.id,
                    caption=table.caption[:200],
                    cells=len(cells),
                    linked=len(linked),
                )
            )
    return LinksStage(tables=tables, links=links)


def measured_cells(table: PaperTable) -> list[TableCell]:
    """Return the cells with numbers, without a first column that only names the rows."""
    cells = list(table.numbers)
    first = [cell for cell in cells if cell.column == 0]
    are_whole = all(cell.number is not None and cell.number.unit >= 1 for cell in first)
    names_rows = len({cell.text for cell in first}) == len(first) and are_whole
    return [cell for cell in cells if not (cell.column == 0 and names_rows)]


def _link_table(
    document: str, table: PaperTable, cells: Sequence[TableCell], runs: RunsStage
) -> Iterator[NumberLink]:
    row_words = frozenset[str]().union(*(label_words(row) for row in table.rows))
    pools = _pools(runs, row_words)
    for column in sorted({cell.column for cell in cells}):
        column_cells = [cell for cell in cells if cell.column == column]
        candidates = [
            candidate
            for cell in column_cells
            for command in runs.with_numbers
            for candidate in candidates_of(cell, command)
        ]
        by_row = _best_pattern(table, column_cells, candidates, pools, row_words)
        for cell in column_cells:
            candidate = by_row.get(cell.row)
            basis: list[Basis] = ["value", "structure"] if candidate else ["value"]
            candidate = candidate or _lone_candidate(table, cell, candidates)
            if candidate is not None:
                yield link_of(document, table, candidate, basis)


def _pools(runs: RunsStage, row_words: frozenset[str]) -> dict[_Pattern, list[RunNumber]]:
    """All outputs of each pattern, also those that no cell has: they show what agrees by chance."""
    pools: dict[_Pattern, list[RunNumber]] = {}
    for command in runs.with_numbers:
        for number in command.numbers:
            for pattern in _patterns(command, number, row_words):
                pools.setdefault(pattern, []).append(number)
    return pools


def candidates_of(cell: TableCell, command: CommandRuns) -> Iterator[LinkCandidate]:
    printed = cell.number
    assert printed is not None
    scales = [1.0, 100.0] if printed.percent or 1 < abs(printed.value) <= 100 else [1.0]
    for number in command.numbers:
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


def _patterns(command: CommandRuns, number: RunNumber, row_words: frozenset[str]) -> list[_Pattern]:
    """The patterns of an output: the same address for the other rows of a table."""
    head = (command.command.id, number.source)
    if number.source.endswith(".json"):
        parts = number.key.split(".")
        return [(*head, ".".join([*parts[:at], "*", *parts[at + 1 :]])) for at in range(len(parts))]
    if number.source.endswith((".csv", ".tsv")):
        return [(*head, number.key.rpartition("|")[2])]
    words = [word for word in re.findall(r"[^\W\d_]+|#", number.key) if word.lower() not in row_words]
    return [(*head, " ".join(words), str(number.position))]


def _best_pattern(
    table: PaperTable,
    cells: Sequence[TableCell],
    candidates: Sequence[LinkCandidate],
    pools: Mapping[_Pattern, Sequence[RunNumber]],
    row_words: frozenset[str],
) -> dict[int, LinkCandidate]:
    """Return row → output for the pattern that explains most rows of a column, if chance does not."""
    groups: dict[tuple[_Pattern, float], list[LinkCandidate]] = {}
    for candidate in candidates:
        for pattern in _patterns(candidate.command, candidate.number, row_words):
            groups.setdefault((pattern, candidate.scale), []).append(candidate)
    best: dict[int, LinkCandidate] = {}
    best_score = 0.0
    for (pattern, scale), group in groups.items():
        rows = _one_for_each_row(table, group)
        named = sum(bool(_row_hits(table, candidate)) for candidate in rows.values())
        column_hits = label_words(table.columns[cells[0].column]) & label_words(" ".join(pattern))
        score = len(rows) + 0.5 * named + 0.5 * len(column_hits)
        if (
            score > best_score
            and _is_telling(rows.values(), named)
            and not _by_chance(cells, pools[pattern], scale, rows)
        ):
            best, best_score = rows, score
    return best


def _one_for_each_row(table: PaperTable, group: Sequence[LinkCandidate]) -> dict[int, LinkCandidate]:
    """Choose for each row the output that its label names best, and use no output twice."""
    ranked = sorted(
        group, key=lambda candidate: (-len(_row_hits(table, candidate)), candidate.number.occurrence)
    )
    rows: dict[int, LinkCandidate] = {}
    used: set[tuple[str, str, int, int]] = set()
    for candidate in ranked:
        number = candidate.number
        address = (number.source, number.key, number.occurrence, number.position)
        if candidate.cell.row not in rows and address not in used:
            rows[candidate.cell.row] = candidate
            used.add(address)
    return rows


def _row_hits(table: PaperTable, candidate: LinkCandidate) -> frozenset[str]:
    return label_words(table.rows[candidate.cell.row]) & label_words(candidate.number.label)


def information(printed: CellNumber) -> int:
    """Return the significant digits of a number; round numbers such as 0, 1 and 100 say nothing."""
    return 0 if printed.value in (0.0, 1.0, 10.0, 100.0, 1000.0) else printed.digits


def _is_telling(rows: Iterable[LinkCandidate], named: int) -> bool:
    numbers = [candidate.cell.number for candidate in rows]
    printed = {number.value: information(number) for number in numbers if number is not None}
    digits = sum(printed.values())
    if len(printed) >= 2:
        return digits >= ENOUGH_DIGITS
    return len(printed) == 1 and digits >= (ENOUGH_DIGITS - 1 if named else ENOUGH_DIGITS)


def _by_chance(
    cells: Sequence[TableCell], pool: Sequence[RunNumber], scale: float, rows: Mapping[int, LinkCandidate]
) -> bool:
    """Whether shifted numbers of the column would be found about as often as its own."""
    printed = [cell.number for cell in cells if cell.number is not None and information(cell.number)]
    by_shift = sum(
        any(agrees(number, output.values, scale, shift) for output in pool)
        for shift in SHIFTS
        for number in printed
    )
    own_candidates = [candidate.cell.number for candidate in rows.values()]
    informative_numbers = sum(number is not None and information(number) > 0 for number in own_candidates)
    return informative_numbers <= 2 * by_shift / len(SHIFTS)


def _lone_candidate(
    table: PaperTable, cell: TableCell, candidates: Sequence[LinkCandidate]
) -> LinkCandidate | None:
    """Return the output of a single cell: the only one with its four digits, or one that both labels name."""
    assert cell.number is not None
    own_candidates = [candidate for candidate in candidates if candidate.cell is cell]
    if information(cell.number) >= ENOUGH_DIGITS:
        values = {round(candidate.number.values[0] * candidate.scale, 12) for candidate in own_candidates}
        if len(values) == 1:
            return own_candidates[0]
    if information(cell.number) < ENOUGH_DIGITS - 1:
        return None
    column_words = label_words(table.labels_of(cell)[1])
    row_words = label_words(table.rows[cell.row])
    named = [
        candidate
        for candidate in own_candidates
        if column_words & label_words(candidate.number.label)
        and len(row_words & label_words(candidate.number.label)) * 2 >= len(row_words) > 0
    ]
    return named[0] if len(named) == 1 else None


def link_of(document: str, table: PaperTable, candidate: LinkCandidate, basis: list[Basis]) -> NumberLink:
    """Return the link of a cell, with the names that speak for it."""
    cell = candidate.cell
    row_label, column_label = table.labels_of(cell)
    words = label_words(f"{candidate.number.label} {candidate.number.key}")
    if label_words(row_label) & words:
        basis = [*basis, "row name"]
    if label_words(column_label) & words:
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
