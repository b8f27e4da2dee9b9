"""A paper as panels, with the places that are the evidence of a field marked."""

from __future__ import annotations

from collections.abc import Sequence

from assay.curation.drafting.model import DraftMetric
from assay.curation.evidence import EvidencePlace
from assay.curation.paper import PaperSection, PaperTable, PaperText, TableCell
from assay.reviewing.marking import find_passage
from assay.tasks.review_items import Panel, TablePanel, TextPanel


def paper_panels(
    paper: PaperText | None, places: Sequence[EvidencePlace], numbers: Sequence[DraftMetric]
) -> list[Panel]:
    """Return the sections and tables of a paper in order; evidence that is in none of them comes first.

    Where a place is a row of a table, only the cells of `numbers` are marked, if there are any.
    """
    if paper is None:
        return [TextPanel(title=str(place), text=place.text, evidence=True) for place in places]
    panels: list[Panel] = []
    shown_places: set[int] = set()
    tables = list(paper.tables)
    for position, section in enumerate(paper.sections):
        panels.append(_section_panel(section, places, shown_places))
        home_tables = [table for table in tables if _stands_in(table, paper.sections, position)]
        for table in home_tables:
            tables.remove(table)
            panels.append(_table_panel(table, places, numbers, shown_places))
    panels += [_table_panel(table, places, numbers, shown_places) for table in tables]
    elsewhere = [place for number, place in enumerate(places) if number not in shown_places and place.text]
    return [*(TextPanel(title=str(place), text=place.text, evidence=True) for place in elsewhere), *panels]


def _stands_in(table: PaperTable, sections: Sequence[PaperSection], position: int) -> bool:
    """Whether a section is the last one before a table, in the same file."""
    line, file = table.place.line or 0, table.place.file
    before = [
        number
        for number, section in enumerate(sections)
        if section.place.file == file and (section.place.line or 0) <= line
    ]
    return bool(before) and before[-1] == position


def _section_panel(
    section: PaperSection, places: Sequence[EvidencePlace], shown_places: set[int]
) -> TextPanel:
    marks = []
    for number, place in enumerate(places):
        if place.text and find_passage(section.text, place.text) is not None:
            marks.append(place.text)
            shown_places.add(number)
    return TextPanel(title=section.title, text=section.text, marks=marks)


def _table_panel(
    table: PaperTable, places: Sequence[EvidencePlace], numbers: Sequence[DraftMetric], shown_places: set[int]
) -> TablePanel:
    height = max((cell.row for cell in table.cells), default=-1) + 1
    width = max((cell.column for cell in table.cells), default=len(table.columns) - 1) + 1
    rows = [[""] * width for _ in range(height)]
    marked: list[tuple[int, int]] = []
    for cell in table.cells:
        rows[cell.row][cell.column] = cell.text
        hits = [number for number, place in enumerate(places) if _same_row(cell.place, place)]
        shown_places.update(hits)
        if hits and (not numbers or any(_is_number(table, cell, metric) for metric in numbers)):
            marked.append((cell.row, cell.column))
    table_places = [number for number, place in enumerate(places) if place == table.place]
    shown_places.update(table_places)
    columns = [*table.columns, *[""] * (width - len(table.columns))]
    title = f"{table.id}: {table.caption}" if table.caption else table.id
    return TablePanel(title=title, columns=columns, rows=rows, marked=marked, evidence=bool(table_places))


def _is_number(table: PaperTable, cell: TableCell, metric: DraftMetric) -> bool:
    """Whether a cell is the number of a metric; a single row has its columns as conditions."""
    if cell.number is None or cell.number.text != metric.printed:
        return False
    return table.labels_of(cell)[1] in (metric.column_label, metric.row_label)


def _same_row(cell_place: EvidencePlace, place: EvidencePlace) -> bool:
    return (cell_place.file, cell_place.line, cell_place.page, cell_place.text) == (
        place.file,
        place.line,
        place.page,
        place.text,
    )
