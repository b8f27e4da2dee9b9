"""Tables of a LaTeX paper: rows and cells of every tabular, with the caption and label of its float."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from assay.curation.paper.latex_text import LatexSource, argument, balanced, plain_words
from assay.curation.paper.model import PaperTable
from assay.curation.paper.tables import MOST_HEADER_ROWS, RawRow, build_table

_TABULAR = re.compile(r"\\begin\{(tabular\*?|tabularx|tabulary|longtable|supertabular|deluxetable\*?)\}")
_FLOAT = re.compile(r"\\begin\{(table\*?|wraptable|sidewaystable\*?|longtable)\}")
_RULE = re.compile(
    r"\\(?:toprule|midrule|bottomrule|hline|hhline\{[^{}]*\}|specialrule(?:\{[^{}]*\}){3}|firsthline|lasthline)"
)
_NO_CELL = re.compile(
    r"\\(?:cmidrule(?:\([^()]*\))?\{[^{}]*\}|cline\{[^{}]*\}|addlinespace(?:\[[^\]]*\])?|rowcolor(?:\[[^\]]*\])?"
    r"\{[^{}]*\}|morecmidrules|endhead|endfirsthead|endfoot|endlastfoot|noalign\{[^{}]*\}|centering|small"
    r"|footnotesize|scriptsize|arraybackslash|startdata|enddata|nodata)"
)
_BEFORE_CELLS = re.compile(rf"(?:\s|{_RULE.pattern}|{_NO_CELL.pattern})*")
_SPAN = re.compile(r"\\multicolumn\s*\{(\d+)\}")
_MULTIROW = re.compile(r"\\multirow\s*(?:\[[^\]]*\])?\s*\{(-?\d+)\}")


class _Environment(NamedTuple):
    name: str
    start: int
    body: int
    end: int


def latex_tables(source: LatexSource, begin: int, end: int, macros: Mapping[str, str]) -> list[PaperTable]:
    """Return the tables of a paper in their order; one that has no row below its header is left out."""
    floats = list(_environments(source.text, _FLOAT, begin, end))
    tables: list[PaperTable] = []
    for number, tabular in enumerate(_environments(source.text, _TABULAR, begin, end), 1):
        enclosing = next((outer for outer in floats if outer.start <= tabular.start < outer.end), tabular)
        caption, label = _caption_and_label(source.text[enclosing.start : enclosing.end])
        rows, header_rows = _rows(source, tabular, macros)
        table = build_table(
            label or f"table-{number}",
            plain_words(caption, macros),
            source.place(tabular.start),
            rows,
            header_rows,
        )
        if table is not None:
            tables.append(_with_own_id(table, tables))
    return tables


def _with_own_id(table: PaperTable, tables: list[PaperTable]) -> PaperTable:
    """Give the second tabular of one float another id."""
    same_label = sum(previous.id.partition("#")[0] == table.id for previous in tables)
    return table.model_copy(update={"id": f"{table.id}#{same_label + 1}"}) if same_label else table


def _environments(text: str, pattern: re.Pattern[str], begin: int, end: int) -> Iterator[_Environment]:
    at = begin
    while match := pattern.search(text, at, end):
        name = match.group(1)
        close = text.find(f"\\end{{{name}}}", match.end())
        close = close if close >= 0 else end
        yield _Environment(name, match.start(), match.end(), close)
        at = match.end() if name in ("longtable", "table", "table*") else close


def _caption_and_label(text: str) -> tuple[str, str]:
    caption = re.search(r"\\(?:caption|tablecaption|captionof\{table\})\s*(?:\[[^\]]*\])?\s*\{", text)
    label = re.search(r"\\label\s*\{([^{}]+)\}", text)
    content = text[caption.end() : balanced(text, caption.end() - 1) - 1] if caption else ""
    content = re.sub(r"\\label\s*\{[^{}]*\}", "", content)
    return content, label.group(1) if label else ""


def _rows(
    source: LatexSource, tabular: _Environment, macros: Mapping[str, str]
) -> tuple[list[RawRow], int | None]:
    """Return the rows of a tabular, and how many of them are above the first rule inside it."""
    text, at = source.text, tabular.body
    for _ in range(2 if tabular.name in ("tabular*", "tabularx", "tabulary") else 1):
        optional = re.compile(r"\s*\[[^\]]*\]").match(text, at)
        at = optional.end() if optional else at
        at = argument(text, at)[1]
    rows: list[RawRow] = []
    header_rows: int | None = None
    carried: dict[int, tuple[str, int]] = {}
    for start, row_text in _split(text, at, tabular.end, r"\\"):
        plain = _NO_CELL.sub(" ", row_text)
        rule = _RULE.search(plain)
        if rule and header_rows is None and 0 < len(rows) <= MOST_HEADER_ROWS:
            header_rows = len(rows)
        cells_text = _RULE.sub(" ", plain)
        if not cells_text.strip() or re.match(r"\s*\\caption", cells_text):
            continue
        before = _BEFORE_CELLS.match(row_text)
        first = start + (before.end() if before else 0)
        cells = _cells(cells_text, macros, carried)
        rows.append(RawRow(cells, source.place(first, plain_words(cells_text, macros))))
    if header_rows is not None and header_rows >= len(rows):
        header_rows = None
    return rows, header_rows


def _cells(row: str, macros: Mapping[str, str], carried: dict[int, tuple[str, int]]) -> list[str]:
    """Return the texts of a row; a cell over several columns or rows stands in each of them."""
    cells: list[str] = []
    for _, cell in _split(row, 0, len(row), "&"):
        span, rows_below = _SPAN.search(cell), _MULTIROW.search(cell)
        words = plain_words(cell, macros)
        column = len(cells)
        if not words and column in carried:
            words, left = carried[column]
            carried[column] = (words, left - 1)
            if left <= 1:
                del carried[column]
        if rows_below and int(rows_below.group(1)) > 1:
            carried[column] = (words, int(rows_below.group(1)) - 1)
        cells += [words] * (int(span.group(1)) if span else 1)
    return cells


def _split(text: str, start: int, end: int, separator: str) -> Iterator[tuple[int, str]]:
    """Yield the parts between separators that are in no braces, each with its offset."""
    at, part_start, depth = start, start, 0
    while at < end:
        if text.startswith(separator, at) and depth == 0:
            yield part_start, text[part_start:at]
            at += len(separator)
            optional = re.compile(r"\*?\s*\[[^\]]*\]").match(text, at) if separator == r"\\" else None
            at = optional.end() if optional and optional.end() <= end else at
            part_start = at
        elif text[at] == "\\":
            if separator == r"\\" and text.startswith(r"\tabularnewline", at):
                yield part_start, text[part_start:at]
                at += len(r"\tabularnewline")
                part_start = at
            else:
                at += 2
        else:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    yield part_start, text[part_start:end]
