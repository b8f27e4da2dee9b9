"""Reads a PDF by its layout: pages, headings, and tables as blocks of aligned numbers.

What it does not cover: equations, cells over several columns, header rows that wrap, and scanned pages.
"""

from __future__ import annotations

import re
from pathlib import Path

from assay.curation.evidence import EvidencePlace, quoted
from assay.curation.paper.cell_numbers import read_cell_number
from assay.curation.paper.model import PaperSection, PaperTable, PaperText
from assay.curation.paper.sentences import SourceLine, stated_sentences
from assay.curation.paper.tables import RawRow, build_table
from assay.errors import UsageError

_HEADING = re.compile(r"\s*((?:\d+|[A-Z])(?:\.\d+)*)\.?\s+([A-Z][A-Za-z].{2,60})$")
_CAPTION = re.compile(r"\s*Table\s+(\w+)[.:]?\s+(.*)", re.IGNORECASE)
_LOST = [
    "equations are not read from a PDF",
    "cells over several columns or rows are not recognised in a PDF",
    "citations are not read from a PDF",
]
_NEAR_LINES = 12
"""A caption belongs to the table within this many lines."""


def read_pdf(path: Path) -> PaperText:
    """Read a PDF; raise if it has no text."""
    pages = _pages(path)
    if not any(page.strip() for page in pages):
        raise UsageError(
            f"{path} has no text: it is a scan, or its fonts hide the letters",
            hint="give the LaTeX source, or a PDF with text",
        )
    sections: list[PaperSection] = []
    tables: list[PaperTable] = []
    words: list[str] = []
    for number, page in enumerate(pages, 1):
        lines = page.splitlines()
        for line in lines:
            match = _HEADING.match(line)
            if match and len(line.split()) <= 10:
                _close(sections, words)
                place = EvidencePlace(kind="paper", file=path.name, page=number)
                level = match.group(1).count(".") + 1
                sections.append(PaperSection(title=match.group(2).strip(), level=level, place=place, text=""))
            else:
                words.append(line)
        tables += _tables(lines, path.name, number, len(tables))
    _close(sections, words)
    title = next((line.strip() for line in pages[0].splitlines() if line.strip()), "")
    source_lines = [
        SourceLine(EvidencePlace(kind="paper", file=path.name, page=number), line)
        for number, page in enumerate(pages, 1)
        for line in page.splitlines()
    ]
    return PaperText(
        title=title,
        format="pdf",
        sections=sections,
        tables=tables,
        sentences=stated_sentences(sections, source_lines),
        not_read=list(_LOST),
    )


def _pages(path: Path) -> list[str]:
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise UsageError(
            f"{path} is a PDF, and the package pypdf is not installed",
            hint="pip install 'assay[pdf]', or give the LaTeX source",
        ) from None
    try:
        return [page.extract_text(extraction_mode="layout") for page in PdfReader(path).pages]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise UsageError(
            f"{path} cannot be read as a PDF: {type(problem).__name__}: {problem}"[:300],
            hint="give the LaTeX source, or another copy of the PDF",
        ) from None


def _close(sections: list[PaperSection], words: list[str]) -> None:
    """Put the lines since the last heading into its section."""
    text = re.sub(r"[ \t]+", " ", "\n".join(words)).strip()
    words.clear()
    if sections:
        sections[-1] = sections[-1].model_copy(update={"text": text})


def _tables(lines: list[str], file: str, page: int, before: int) -> list[PaperTable]:
    """Find blocks of at least two lines with a number in the same column."""
    rows = {number: cells for number, line in enumerate(lines) if len(cells := _cells(line)) >= 2}
    numeric = [number for number, cells in rows.items() if any(map(read_cell_number, cells))]
    tables: list[PaperTable] = []
    for first, last in _blocks(numeric):
        start = first - 1 if first - 1 in rows else first
        place = EvidencePlace(kind="paper", file=file, page=page)
        raw_rows = [
            RawRow(rows[number], place.model_copy(update={"text": quoted(lines[number])}))
            for number in range(start, last + 1)
            if number in rows
        ]
        label, caption = _caption(lines, start, last)
        table_id = f"table-{label or f'{before + len(tables) + 1}'}"
        table = build_table(table_id, caption, place, raw_rows)
        if table is not None and caption:
            tables.append(table)
    return tables


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"\s{2,}", line.strip()) if cell.strip()]


def _blocks(numbers: list[int]) -> list[tuple[int, int]]:
    blocks: list[tuple[int, int]] = []
    for number in numbers:
        if blocks and number - blocks[-1][1] <= 2:
            blocks[-1] = (blocks[-1][0], number)
        else:
            blocks.append((number, number))
    return [(first, last) for first, last in blocks if last > first]


def _caption(lines: list[str], first: int, last: int) -> tuple[str, str]:
    near_lines = [
        *range(first, max(-1, first - _NEAR_LINES), -1),
        *range(last, min(len(lines), last + _NEAR_LINES)),
    ]
    for number in near_lines:
        match = _CAPTION.match(lines[number])
        if match:
            return match.group(1), " ".join(match.group(2).split())
    return "", ""
