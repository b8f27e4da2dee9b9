"""Builds a table from rows of cell texts: header, row labels and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.curation.evidence import EvidencePlace, quoted
from assay.curation.paper.cell_numbers import read_cell_number
from assay.curation.paper.model import PaperTable, TableCell

MOST_HEADER_ROWS = 3


class RawRow(NamedTuple):
    """One row of a table: its cell texts, and where it is."""

    cells: list[str]
    place: EvidencePlace


def build_table(
    table_id: str, caption: str, place: EvidencePlace, rows: Sequence[RawRow], header_rows: int | None = None
) -> PaperTable | None:
    """Return the table, or None if it has no row below its header."""
    used_rows = [row for row in rows if any(cell.strip() for cell in row.cells)]
    count = _header_rows(used_rows) if header_rows is None else header_rows
    header, body = used_rows[:count], used_rows[count:]
    if not body:
        return None
    width = max(len(row.cells) for row in used_rows)
    columns = [_heading(header, column) for column in range(width)]
    cells, labels = [], []
    ranked = _are_ranked(body)
    for number, row in enumerate(body):
        labels.append(_row_label(row.cells[1:], columns[1:]) if ranked else _row_label(row.cells, columns))
        for column, text in enumerate(row.cells):
            cells.append(
                TableCell(
                    row=number,
                    column=column,
                    text=text,
                    number=read_cell_number(text),
                    place=row.place.model_copy(update={"text": quoted(" | ".join(row.cells))}),
                )
            )
    return PaperTable(id=table_id, caption=caption, place=place, columns=columns, rows=labels, cells=cells)


def _are_ranked(rows: Sequence[RawRow]) -> bool:
    """Whether the first column only counts the rows, and the second names them."""
    counts = [row.cells[0].strip().rstrip(".") for row in rows if row.cells]
    names = [row.cells[1] for row in rows if len(row.cells) > 1]
    return (
        len(rows) > 1
        and counts == [str(number) for number in range(1, len(rows) + 1)]
        and len({name for name in names if read_cell_number(name) is None}) == len(rows)
    )


def _header_rows(rows: Sequence[RawRow]) -> int:
    """Count the rows at the top in which most cells are words; a table has at least one header row."""
    count = 0
    for row in rows[:MOST_HEADER_ROWS]:
        texts = [cell for cell in row.cells if cell.strip()]
        numbers = sum(read_cell_number(text) is not None for text in texts)
        if numbers * 2 >= len(texts):
            break
        count += 1
    if count == len(rows):
        return 1
    # A row of words below the header is a row of the table if its neighbours are rows of words too.
    return min(count, 1) if all(_is_words(row) for row in rows) else max(count, 1)


def _is_words(row: RawRow) -> bool:
    return all(read_cell_number(cell) is None for cell in row.cells)


def _heading(header: Sequence[RawRow], column: int) -> str:
    texts = [row.cells[column].strip() for row in header if column < len(row.cells)]
    return " ".join(dict.fromkeys(text for text in texts if text))


def _row_label(texts: Sequence[str], columns: Sequence[str]) -> str:
    """The words of a row before its first measured number; a row without words is named by its first cell."""
    words: list[str] = []
    for column, text in enumerate(texts):
        if read_cell_number(text) is not None:
            if words or column > 0:
                break
            heading = columns[0] if columns else ""
            words.append(f"{heading} {text}".strip())
            continue
        if text.strip():
            words.append(text.strip())
    return " ".join(words)
