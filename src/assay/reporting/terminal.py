"""The scorecard in a terminal, intelligible without colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.reporting.tables import kinds_in, notes
from assay.reporting.wording import interval_text, money_text, percent, time_text, tokens_text, unknown_text
from assay.scoring import AgentCard, Rate, Scorecard, SuiteCard

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_WIDE = 130
"""Columns from which on a cell's interval stands beside its rate, and tokens and time are shown."""


def terminal(card: Scorecard) -> TerminalTable:
    """The table of agents and kinds; print it with rich."""
    return TerminalTable(card)


@dataclass(frozen=True)
class TerminalTable:
    """Fits itself to the width that it is printed in."""

    card: Scorecard

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """What rich prints."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        wide = options.max_width >= _WIDE
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for heading in self._headings(wide):
            table.add_column(Text(heading), no_wrap=heading != "agent", overflow="fold", min_width=8)
        for agent in self.card.agents:
            for suite in agent.suites:
                table.add_row(*map(Text, self._row(agent, suite, wide)))
        yield table
        yield from (Text(line) for line in notes(self.card))

    def _headings(self, wide: bool) -> list[str]:
        spent = [*(["tokens"] if self._has_tokens() else []), *(["cost"] if self._has_cost() else []), "time"]
        return ["agent", "all", *kinds_in(self.card), *(spent if wide else [])]

    def _row(self, agent: AgentCard, suite: SuiteCard, wide: bool) -> list[str]:
        many_suites = len({suite.suite for card in self.card.agents for suite in card.suites}) > 1
        name = [agent.agent] + ([agent.model] if agent.model != "none" else [])
        cells = [
            "\n".join(name + ([f"on {suite.suite}"] if many_suites else [])),
            _cell(suite, wide, owners=True),
        ]
        cells += [_cell(suite.kinds.get(kind), wide, owners=False) for kind in kinds_in(self.card)]
        if wide:
            cells += [tokens_text(suite.tokens)] if self._has_tokens() else []
            cells += [money_text(suite.cost)] if self._has_cost() else []
            cells += [time_text(suite.seconds or None)]
        return cells

    def _has_tokens(self) -> bool:
        return any(suite.tokens for agent in self.card.agents for suite in agent.suites)

    def _has_cost(self) -> bool:
        return any(suite.cost is not None for agent in self.card.agents for suite in agent.suites)


def _cell(rate: Rate | None, wide: bool, *, owners: bool) -> str:
    """A rate on one line or two, and below it what is unknown."""
    if rate is None or rate.attempts == 0:
        return "–"
    text = (
        f"{rate.passed}/{rate.attempts} {percent(rate.rate)}%{' ' if wide else chr(10)}{interval_text(rate)}"
    )
    if rate.unknown:
        text += f"\n({unknown_text(rate)})" if owners and wide else f"\n({rate.unknown} unknown)"
    return text
