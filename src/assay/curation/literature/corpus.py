"""A paper as numbered passages: each paragraph and each table has an id that an answer can name."""

from __future__ import annotations

import re
from typing import NamedTuple

from assay.curation.labels import slug
from assay.curation.paper import PaperTable, PaperText

LEAST_WORDS = 6
"""A shorter paragraph is a heading or a remark, and no passage."""


class Passage(NamedTuple):
    """One paragraph or table."""

    id: str
    title: str
    """The section's title, or the table's caption."""
    text: str
    table: PaperTable | None = None


def passages_of(paper: PaperText) -> list[Passage]:
    """Return the passages in the order of the paper; tables last. A caption belongs to its table alone."""
    captions = {plain(table.caption) for table in paper.tables}
    passages = []
    for number, section in enumerate(paper.sections, 1):
        paragraphs = [
            part
            for part in section.text.split("\n\n")
            if len(part.split()) >= LEAST_WORDS and plain(part) not in captions
        ]
        for place, paragraph in enumerate(paragraphs, 1):
            text = " ".join(paragraph.split())
            passages.append(Passage(f"s{number}.p{place}", section.title, text))
    for number, table in enumerate(paper.tables, 1):
        passages.append(Passage(f"t{number}", table.caption, table_text(table), table))
    return passages


def plain(text: str) -> str:
    """A text without what a reader takes no notice of: case and spacing."""
    return " ".join(text.casefold().split())


def table_text(table: PaperTable) -> str:
    """Return a table in Markdown."""
    count = len(table.columns)
    rows: dict[int, list[str]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, [""] * count)[cell.column] = cell.text.replace("|", "/")
    lines = [table.columns, ["---"] * count, *(rows[row] for row in sorted(rows))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def corpus_files(passages: list[Passage]) -> dict[str, bytes]:
    """Return the corpus as files: one for each section, one for all tables."""
    files: dict[str, list[str]] = {}
    for passage in passages:
        if passage.table is None:
            number = re.sub(r"\D.*", "", passage.id[1:])
            name = f"corpus/{int(number):02d}-{slug(passage.title, 40)}.md"
            files.setdefault(name, [f"# {passage.title}"]).append(f"[{passage.id}] {passage.text}")
        else:
            part = f"[{passage.id}] {passage.title}\n\n{passage.text}"
            files.setdefault("corpus/tables.md", ["# Tables"]).append(part)
    return {name: ("\n\n".join(parts) + "\n").encode() for name, parts in files.items()}
