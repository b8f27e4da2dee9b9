"""A table in every form: for a terminal, as Markdown, as CSV with plain numbers, as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from assay.reporting.tables import csv_cell, markdown_cell, markdown_table

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Format = Literal["table", "markdown", "csv"]


@dataclass(frozen=True)
class PrintedTable:
    """What is said in words and in numbers; prints itself with rich, intelligible without colour."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[dict[str, object]]
    """The same, one plain value a column."""
    shape: dict[str, Any]
    """What `--json` prints; docs/json.md has its shape."""
    notes: Sequence[str] = ()
    other_tables: Sequence[Sequence[Sequence[str]]] = ()
    """Tables below the first: of each its headings, then its rows."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """What rich prints."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        for names, *rows in self._tables():
            table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
            for name in names:
                # Broken where it must be, never cut: half a number is another number.
                table.add_column(name, overflow="fold")
            for row in rows:
                table.add_row(*map(Text, row))
            yield table
        yield from (Text(note) for note in self.notes)

    def markdown(self) -> str:
        """The tables and the notes."""
        parts = [markdown_table(table) for table in self._tables()]
        notes = "".join(f"- {markdown_cell(note)}\n" for note in self.notes)
        return "\n".join([*parts, notes])

    def _tables(self) -> list[Sequence[Sequence[str]]]:
        """All tables that have rows, headings first."""
        return [table for table in ([self.headings, *self.rows], *self.other_tables) if len(table) > 1]

    def csv(self) -> str:
        """Plain numbers, a heading first."""
        target = io.StringIO()
        names = list(dict.fromkeys(name for row in self.numbers for name in row))
        writer = csv.DictWriter(target, names, lineterminator="\n")
        writer.writeheader()
        for row in self.numbers:
            writer.writerow({name: csv_cell(_plain(value)) for name, value in row.items()})
        return target.getvalue()

    def json(self) -> str:
        """The documented shape."""
        return json.dumps(self.shape, indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: object) -> object:
    """One value for a cell: owners with their counts in a row."""
    return " ".join(f"{key}={count}" for key, count in value.items()) if isinstance(value, dict) else value
