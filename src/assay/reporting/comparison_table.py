"""Comparisons for the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json as json_writer
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.reporting.tables import markdown_table
from assay.reporting.wording import count, percent, rate_text, score_text
from assay.scoring import Comparison, Comparisons, PairedRow, PValue, Scores, Side

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

HEADINGS = [
    "kind",
    "tasks",
    "first → second",
    "difference",
    "better",
    "McNemar p (Holm)",
    "items",
    "swap p (Holm)",
]

SCORES = ["score", "swap p (Holm)"]
"""Two columns more where both agents have scores of challenges."""

_WIDE = 110
"""Columns from which on a cell stands on one line."""
_WIDEST = 150
"""Columns from which on scores of challenges stand in the table, not below it."""

READING = (
    "difference: second − first in points, [95% interval, bootstrap over papers and attempts, percentile];",
    "better: tasks that the first : the second passes more often; McNemar p is exact, on those tasks;",
    "items: difference in points of the share of items met, where an unknown item is not met; swap p: its"
    " paired permutation test.",
)

SCORES_READING = (
    "score: mean of challenges' scores, baseline 0 and reference 1, first → second, over (tasks);"
    " swap p: its paired permutation test."
)


def comparison_headline(comparison: Comparison) -> str:
    """Who is compared with whom."""
    return f"first: {_who(comparison.first)}, second: {_who(comparison.second)}"


def comparison_headings(comparison: Comparison) -> list[str]:
    """The columns of one comparison."""
    return HEADINGS + (SCORES if _scored(comparison) else [])


def comparison_rows(comparison: Comparison) -> list[list[str]]:
    """The table of one comparison, in words."""
    return [_row(row) + (_normalised(row) if _scored(comparison) else []) for row in comparison.rows]


def comparison_notes(comparison: Comparison) -> Iterator[str]:
    """The attempts behind the table, what is not in it, and why."""
    sides = (("first", comparison.first), ("second", comparison.second))
    yield "attempts passed: " + ", ".join(f"{name} {rate_text(side.rate)}" for name, side in sides)
    if any(side.environment_errors for _, side in sides):
        yield "attempts with environment errors (package, import, network): " + ", ".join(
            f"{name} {side.environment_errors} of {side.attempts}" for name, side in sides
        )
    for name, side in sides:
        if side.missing:
            owners = ", ".join(f"{owner} {number}" for owner, number in side.missing.items())
            unscored = side.attempts - side.scored
            yield f"{name}: {unscored} of {count(side.attempts, 'attempt')} are unscored ({owners})"
    overall = comparison.rows[0]
    if comparison.first.missing or comparison.second.missing:
        bounds = f"[{points(overall.bound_low)}, {points(overall.bound_high)}]"
        yield (
            f"{count(overall.unscored, 'common task')} left out as unscored; had every unscored attempt gone"
            f" against the second, or for it, the difference would be {bounds}"
        )
    for name, tasks in (
        ("only the first tried", comparison.only_first),
        ("only the second tried", comparison.only_second),
        ("changed between the two, not compared", comparison.changed),
    ):
        if tasks:
            remainder = f" and {len(tasks) - 4} more" if len(tasks) > 4 else ""
            yield f"{name}: {count(len(tasks), 'task')}: {', '.join(tasks[:4])}{remainder}"
    if not overall.tasks:
        yield "no task has a scored attempt of both, so nothing can be compared"
    elif overall.clusters < 2:
        yield "all tasks are of one paper, which gives no interval for others"


def comparison_markdown(comparisons: Comparisons) -> str:
    """Every comparison as a Markdown table with its notes."""
    parts = []
    for comparison in comparisons.comparisons:
        notes = "".join(f"- {note}\n" for note in comparison_notes(comparison))
        table = markdown_table([comparison_headings(comparison), *comparison_rows(comparison)])
        parts.append(f"**{comparison_headline(comparison)}**\n\n{table}\n{notes}")
    return "\n".join(parts) + "\n" + "".join(f"- {line}\n" for line in closing(comparisons))


def comparison_json(comparisons: Comparisons) -> str:
    """The documented shape of docs/json.md."""
    return json_writer.dumps(comparisons.model_dump(mode="json"), indent=2, allow_nan=False) + "\n"


def closing(comparisons: Comparisons) -> list[str]:
    """How to read the tables, and what was odd about the logs."""
    lines = list(READING)
    lines += [SCORES_READING] if any(map(_scored, comparisons.comparisons)) else []
    if comparisons.tests > 1:
        lines.append(f"p (Holm): corrected over the {comparisons.tests} rows that were tested together.")
    return lines + [f"note: {finding.log}: {finding.what}" for finding in comparisons.findings]


@dataclass(frozen=True)
class ComparisonTable:
    """Prints itself with rich, intelligible without colour."""

    comparisons: Comparisons

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """What rich prints."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        wide, widest = options.max_width >= _WIDE, options.max_width >= _WIDEST
        for comparison in self.comparisons.comparisons:
            yield Text(comparison_headline(comparison), style="bold")
            table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
            visible_columns = None if widest else len(HEADINGS)
            for heading in comparison_headings(comparison)[:visible_columns]:
                table.add_column(_fitted(heading, wide), overflow="fold", no_wrap=wide)
            for row in comparison_rows(comparison):
                table.add_row(*(Text(_fitted(cell, wide)) for cell in row[:visible_columns]))
            yield table
            if _scored(comparison) and not widest:
                yield Text(_scores_line(comparison))
            yield from (Text(note) for note in comparison_notes(comparison))
            yield Text("")
        yield from (Text(line) for line in closing(self.comparisons))


def _fitted(cell: str, wide: bool) -> str:
    """A cell on one line, or with its brackets below it."""
    return cell if wide else cell.replace(" [", "\n[").replace(" (", "\n(")


def points(difference: float | None) -> str:
    """A difference of shares in percentage points, with its sign."""
    if difference is None:
        return "–"
    rounded = round(difference * 100)
    return "0" if rounded == 0 else f"{rounded:+d}".replace("-", "−")


def p_text(test: PValue | None) -> str:
    """A p-value, and in brackets what Holm's correction leaves of it."""
    return "–" if test is None else f"{p_value(test.p)} ({p_value(test.holm)})"


def p_value(value: float) -> str:
    """A p-value to two or three digits."""
    return "<0.001" if value < 0.001 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def _row(row: PairedRow) -> list[str]:
    return [
        row.kind,
        f"{row.tasks}" + (f"/{row.tasks + row.unscored}" if row.unscored else ""),
        f"{percent(row.first)}% → {percent(row.second)}%",
        f"{points(row.difference)} [{points(row.low)}, {points(row.high)}]",
        f"{row.first_better} : {row.second_better}",
        p_text(row.mcnemar),
        *_scores(row.share),
    ]


def _scores(scores: Scores | None) -> list[str]:
    if scores is None:
        return ["–", "–"]
    return [points(scores.difference), p_text(scores.permutation)]


def _scored(comparison: Comparison) -> bool:
    return any(row.normalised is not None for row in comparison.rows)


def _normalised(row: PairedRow) -> list[str]:
    scores = row.normalised
    if scores is None:
        return ["–", "–"]
    means = f"{score_text(scores.first)} → {score_text(scores.second)} ({scores.tasks})"
    return [means, p_text(scores.permutation)]


def _scores_line(comparison: Comparison) -> str:
    row = next(row for row in comparison.rows if row.normalised is not None)
    means, p = _normalised(row)
    return f"score: {means}, swap p (Holm) {p}"


def _who(side: Side) -> str:
    return side.agent if side.model == "none" else f"{side.agent} ({side.model})"
