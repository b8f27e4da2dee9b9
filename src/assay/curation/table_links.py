"""Links the numbers of tables to the runs that make them: by name, by value, by table structure.

A column of a table and a pattern of an output (the same line, the same JSON key) are linked if several rows
agree at the printed precision, with at least four significant digits in all, and shifted numbers show that
chance is no explanation. A single cell is linked if row and column name the output, or if it has four digits,
one output alone has its value, and none has a shifted one. Of outputs with equal values, the one whose row
and column agree is taken; if no name decides, there is no link. An output is linked with one cell at most.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from assay.curation.labels import label_words
from assay.curation.matching import (
    ENOUGH_DIGITS,
    SHIFTS,
    LinkCandidate,
    LinkedTable,
    LinksStage,
    NumberLink,
    agrees,
    candidates_of,
    information,
    link_of,
)
from assay.curation.name_agreement import ENOUGH_WORDS, NameAgreement, OutputAddress, address_of
from assay.curation.paper import PaperTable, PaperText, TableCell
from assay.curation.running import CommandRuns, RunNumber, RunsStage

_NAME_WEIGHT = 0.25
"""What a name counts beside a row that agrees: it decides between outputs that agree in as many rows."""
_UNLIKELY = 0.02
"""How likely chance may be as the reason of a link."""
_Pattern = tuple[str, ...]


def match_numbers(paper: PaperText, readmes: Mapping[str, PaperText], runs: RunsStage) -> LinksStage:
    """Link every table of the paper and of README files to the runs."""
    tables, links = [], []
    for document, text in (("paper", paper), *sorted(readmes.items())):
        for table in text.tables:
            cells = measured_cells(table)
            linked = list(_TableLinker(table, cells, runs).links(document))
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


class _TableLinker:
    def __init__(self, table: PaperTable, cells: Sequence[TableCell], runs: RunsStage) -> None:
        self._table = table
        self._cells = cells
        self._runs = runs
        self._names = NameAgreement(table, cells, runs)
        self._row_words = frozenset[str]().union(*(label_words(row) for row in table.rows))
        self._pools = self._all_pools()

    def links(self, document: str) -> Iterator[NumberLink]:
        """Yield the links of all cells; an output that several cells want is linked with the one it names."""
        chosen: list[tuple[LinkCandidate, bool]] = []
        for column in sorted({cell.column for cell in self._cells}):
            cells = [cell for cell in self._cells if cell.column == column]
            candidates = [
                candidate
                for cell in cells
                for command in self._runs.with_numbers
                for candidate in candidates_of(cell, command)
            ]
            by_row = self._best_pattern(cells, candidates)
            for cell in cells:
                candidate = by_row.get(cell.row) or self._single_candidate(cell, candidates)
                if candidate is not None:
                    chosen.append((candidate, cell.row in by_row))
        for candidate, is_in_pattern in self._without_disputes(chosen):
            basis = ["value", "structure"] if is_in_pattern else ["value"]
            yield link_of(document, self._table, candidate, basis)  # type: ignore[arg-type]

    def _all_pools(self) -> dict[_Pattern, list[RunNumber]]:
        """All outputs of each pattern, also those that no cell has: they show what agrees by chance."""
        pools: dict[_Pattern, list[RunNumber]] = {}
        for command in self._runs.with_numbers:
            for number in command.numbers:
                for pattern in _patterns(command, number, self._row_words):
                    pools.setdefault(pattern, []).append(number)
        return pools

    def _best_pattern(
        self, cells: Sequence[TableCell], candidates: Sequence[LinkCandidate]
    ) -> dict[int, LinkCandidate]:
        """Return row → output for the pattern that explains most rows of a column, if chance does not."""
        groups: dict[tuple[_Pattern, float], list[LinkCandidate]] = {}
        for candidate in candidates:
            for pattern in _patterns(candidate.command, candidate.number, self._row_words):
                groups.setdefault((pattern, candidate.scale), []).append(candidate)
        best: dict[int, LinkCandidate] = {}
        best_score = 0.0
        for (pattern, scale), group in groups.items():
            rows = self._one_for_each_row(group)
            score = sum(1 + _NAME_WEIGHT * sum(self._names.of(candidate)) for candidate in rows.values())
            if score > best_score and _is_telling(rows.values()):
                # Rows that the output names are evidence of their own; else every pattern is one more try.
                tries = 1 if self._are_named(rows.values()) else len(groups)
                if tries * _by_chance(cells, self._pools[pattern], scale, rows) < _UNLIKELY:
                    best, best_score = rows, score
        return best

    def _are_named(self, rows: Collection[LinkCandidate]) -> bool:
        """Whether the labels of most rows name their outputs."""
        named = sum(self._names.of(candidate)[0] >= ENOUGH_WORDS for candidate in rows)
        return 2 * named > len(rows)

    def _one_for_each_row(self, group: Sequence[LinkCandidate]) -> dict[int, LinkCandidate]:
        """Choose for each row the output that its labels name best, and use no output twice."""
        ranked = sorted(
            group, key=lambda candidate: (-sum(self._names.of(candidate)), candidate.number.occurrence)
        )
        rows: dict[int, LinkCandidate] = {}
        used: set[OutputAddress] = set()
        for candidate in ranked:
            address = address_of(candidate.command, candidate.number)
            if candidate.cell.row not in rows and address not in used:
                rows[candidate.cell.row] = candidate
                used.add(address)
        return rows

    def _single_candidate(self, cell: TableCell, candidates: Sequence[LinkCandidate]) -> LinkCandidate | None:
        """Return the output of a cell without a pattern: the one that both labels name, or the only one."""
        assert cell.number is not None
        own_candidates = [candidate for candidate in candidates if candidate.cell is cell]
        digits = information(cell.number)
        if digits < ENOUGH_DIGITS - 1:
            return None
        named = [candidate for candidate in own_candidates if self._names.are_both(candidate)]
        if named:
            best = max(sum(self._names.of(candidate)) for candidate in named)
            return _only_one([candidate for candidate in named if sum(self._names.of(candidate)) == best])
        # What row and column name has another value: an equal number elsewhere is a coincidence.
        if digits < ENOUGH_DIGITS or self._names.names_another(cell, self._runs) or self._is_crowded(cell):
            return None
        return _only_one(own_candidates)

    def _is_crowded(self, cell: TableCell) -> bool:
        """Whether the runs have so many numbers that a shifted one is among them, too."""
        printed = cell.number
        assert printed is not None
        return any(
            agrees(printed, number.values, 1.0, shift)
            for command in self._runs.with_numbers
            for number in command.numbers
            for shift in SHIFTS
        )

    def _without_disputes(
        self, chosen: Sequence[tuple[LinkCandidate, bool]]
    ) -> Iterator[tuple[LinkCandidate, bool]]:
        """Leave out cells that want an output which another cell's labels name as well or better."""
        by_output: dict[OutputAddress, list[float]] = {}
        for candidate, _ in chosen:
            address = address_of(candidate.command, candidate.number)
            by_output.setdefault(address, []).append(sum(self._names.of(candidate)))
        for candidate, is_in_pattern in chosen:
            strengths = by_output[address_of(candidate.command, candidate.number)]
            strength = sum(self._names.of(candidate))
            if strength == max(strengths) and strengths.count(strength) == 1:
                yield candidate, is_in_pattern


def _only_one(candidates: Sequence[LinkCandidate]) -> LinkCandidate | None:
    """The first candidate, if each source has one output of one value: a file often repeats the screen."""
    values = {round(candidate.number.values[0] * candidate.scale, 12) for candidate in candidates}
    addresses = {address_of(candidate.command, candidate.number) for candidate in candidates}
    sources = {(candidate.command.command.id, candidate.number.source) for candidate in candidates}
    return candidates[0] if len(values) == 1 and len(addresses) == len(sources) else None


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


def _is_telling(rows: Iterable[LinkCandidate]) -> bool:
    """Whether several different numbers agree, with enough digits in all."""
    numbers = [candidate.cell.number for candidate in rows]
    printed = {number.value: information(number) for number in numbers if number is not None}
    return len(printed) >= 2 and sum(printed.values()) >= ENOUGH_DIGITS


def _by_chance(
    cells: Sequence[TableCell], pool: Sequence[RunNumber], scale: float, rows: Mapping[int, LinkCandidate]
) -> float:
    """Return how likely it is that as many cells agree by chance, from how often shifted numbers agree."""
    printed = [cell.number for cell in cells if cell.number is not None and information(cell.number)]
    hits = sum(
        any(agrees(number, output.values, scale, shift) for output in pool)
        for shift in SHIFTS
        for number in printed
    )
    rate = (hits + 0.5) / (len(SHIFTS) * len(printed) + 1)
    numbers = [candidate.cell.number for candidate in rows.values()]
    agreeing = sum(number is not None and information(number) > 0 for number in numbers)
    return sum(
        math.comb(len(printed), count) * rate**count * (1 - rate) ** (len(printed) - count)
        for count in range(agreeing, len(printed) + 1)
    )
