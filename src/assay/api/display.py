"""Results that show themselves: as HTML in a notebook, as a table in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from assay.reporting.comparison_table import (
    ComparisonTable,
    closing,
    comparison_headings,
    comparison_headline,
    comparison_notes,
    comparison_rows,
)
from assay.reporting.failure_table import (
    FAILURE_HEADINGS,
    FailureTable,
    failure_headline,
    failure_notes,
    failure_rows,
)
from assay.reporting.tables import headings, notes, rows
from assay.reporting.terminal import TerminalTable, terminal
from assay.scoring import Comparisons, Scorecard
from assay.scoring.failures import Analysis

if TYPE_CHECKING:
    from rich.console import RenderableType


class ShownScorecard(Scorecard):
    """A scorecard that renders as HTML in a notebook and as a table in a terminal."""

    def __rich__(self) -> TerminalTable:
        """Return what rich prints."""
        return terminal(self)

    def __str__(self) -> str:
        return plain_text(terminal(self))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_table(headings(self), rows(self)) + html_list(notes(self))


class ShownComparisons(Comparisons):
    """Comparisons that render as HTML in a notebook and as tables in a terminal."""

    def __rich__(self) -> ComparisonTable:
        """Return what rich prints."""
        return ComparisonTable(self)

    def __str__(self) -> str:
        return plain_text(ComparisonTable(self))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        parts = [
            f"<p><b>{escape(comparison_headline(pair))}</b></p>"
            + html_table(comparison_headings(pair), comparison_rows(pair))
            + html_list(comparison_notes(pair))
            for pair in self.comparisons
        ]
        return "".join(parts) + html_list(closing(self))


class ShownAnalysis(Analysis):
    """An analysis of failures that renders as HTML in a notebook and as a table in a terminal."""

    def __rich__(self) -> FailureTable:
        """Return what rich prints."""
        return FailureTable(self)

    def __str__(self) -> str:
        return plain_text(FailureTable(self))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        headline = f"<p>{escape(failure_headline(self))}</p>"
        return headline + html_table(FAILURE_HEADINGS, failure_rows(self)) + html_list(failure_notes(self))


def plain_text(renderable: RenderableType) -> str:
    """Return what rich prints at the width of this terminal, without colour."""
    from io import StringIO
    from shutil import get_terminal_size

    from rich.console import Console

    target = StringIO()
    width = get_terminal_size((100, 24)).columns
    # In a notebook rich would display the table at once in place of writing it to the file.
    console = Console(file=target, width=width, highlight=False, force_jupyter=False, force_terminal=False)
    console.print(renderable)
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines())


def html_table(headers: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return an HTML table; every cell is escaped, because agents write parts of the text."""
    head = "".join(f"<th>{escape(header)}</th>" for header in headers)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_list(lines: Iterable[str]) -> str:
    """Return an HTML list; every line is escaped."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""
