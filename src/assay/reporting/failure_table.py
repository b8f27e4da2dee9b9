"""Why attempts failed, as a table: each type of failure, how common it is, and whose fault it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.reporting.wording import percent
from assay.scoring.failures import FOLLOWS, Analysis, Prevalence

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

SOURCE_HEADINGS = ("failure", "items", "agent", "source", "other", "not known", "shown by")
FAILURE_HEADINGS = ("phase", "failure", "attempts, [95%]", "of phase", "published")


@dataclass(frozen=True)
class FailureTable:
    """Prints itself with rich, intelligible without colour."""

    analysis: Analysis

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """What rich prints."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        yield Text(failure_headline(self.analysis))
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        table.add_column("failure", overflow="fold")
        for heading in FAILURE_HEADINGS[2:]:
            table.add_column(heading, no_wrap=True)
        current_phase = ""
        for phase, title, *numbers in failure_rows(self.analysis):
            if phase != current_phase:
                current_phase = phase
                table.add_row(Text(phase, style="italic"))
            table.add_row(Text(f"  {title}"), *map(Text, numbers))
        yield table
        if self.analysis.sources:
            yield Text("whose fault: the most frequent failures")
            sources = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
            sources.add_column(SOURCE_HEADINGS[0], overflow="fold")
            for heading in SOURCE_HEADINGS[1:]:
                sources.add_column(heading)
            for cells in source_rows(self.analysis):
                sources.add_row(*map(Text, cells))
            yield sources
        yield from (Text(line) for line in failure_notes(self.analysis))


def failure_headline(analysis: Analysis) -> str:
    """How many attempts did not pass."""
    agents = len(analysis.agents)
    return f"{analysis.failed} of {analysis.attempts} attempts of {agents} agents did not pass."


def failure_rows(analysis: Analysis) -> list[list[str]]:
    """One row for each type of failure over all agents, with a cell for each heading."""
    return [_row(row) for row in analysis.prevalence if row.agent is None]


def _row(row: Prevalence) -> list[str]:
    named_by = "" if row.type.by == "rule" else f" (named by {row.type.by})"
    return [
        row.type.phase,
        row.type.title + named_by,
        f"{row.shown}/{row.attempts} {percent(row.rate)}% [{percent(row.low)}, {percent(row.high)}]",
        f"{percent(row.share)}%",
        f"{row.type.published.percent:g}%" if row.type.published else "–",
    ]


def source_rows(analysis: Analysis) -> list[list[str]]:
    """One row for each of the most frequent types: whose fault it is, and what shows that."""
    return [
        [
            source.type.title,
            *map(str, (source.insights, source.agent, source.source, source.other, source.unknown)),
            ", ".join(f"{evidence} {count}" for evidence, count in source.shown_by.items()) or "–",
        ]
        for source in analysis.sources
    ]


def failure_notes(analysis: Analysis) -> list[str]:
    """Whose fault the failures are, and where the published numbers come from."""
    faults = Counter(insight.fault or "not known" for insight in analysis.insights if insight.type != FOLLOWS)
    counts = ", ".join(f"{fault} {count}" for fault, count in faults.most_common()) or "none"
    return [
        f"whose fault, by insight: {counts}.",
        "published: EXP-Bench, arXiv 2505.24785, share of the insights of one phase; not measured here.",
    ]
