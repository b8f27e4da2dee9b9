"""The first sentences of the report: what each measured agent achieved, and the clearest difference."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.reporting.comparison_table import p_value, points
from assay.reporting.wording import count, percent
from assay.scoring import Attempt, Comparison, Comparisons, PairedRow, SuiteCard
from assay.scoring.failures import FOLLOWS, FailureType, Insight

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.reporting.rows import Column

MOST_HEADLINES = 4
"""Agents that get a sentence of their own; the chart below the sentences has all."""
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Headline:
    """What one measured agent achieved on one suite."""

    column: Column
    card: SuiteCard
    failure: FailureType | None
    """The most common type of failure; None where every attempt passed."""
    failures: int
    """Attempts that show it."""

    @property
    def rate_range(self) -> str:
        """The interval as people write it: `9–53%`."""
        return f"{percent(self.card.low)}–{percent(self.card.high)}%"

    def __str__(self) -> str:
        """The sentence, as it stands in the report."""
        text = f"{agent_name(self.column.card.agent, self.column.card.model)} passed {self.card.passed} of"
        text += f" {self.card.attempts} ({self.rate_range})"
        if self.failure is not None:
            text += f"; most failures: {self.failure.title}, {self.failures}"
        return f"{text}."


@dataclass(frozen=True)
class Contrast:
    """The pair of agents whose difference has the best support."""

    winner: tuple[str, str]
    loser: tuple[str, str]
    row: PairedRow
    first: tuple[str, str]
    second: tuple[str, str]
    tests: int

    @property
    def is_clear(self) -> bool:
        """Whether chance alone explains the difference poorly."""
        return self.row.mcnemar is not None and self.row.mcnemar.holm < SIGNIFICANT

    @property
    def test(self) -> str:
        """The corrected p-value, with the number of comparisons that it is corrected for."""
        value = p_value(self.row.mcnemar.holm if self.row.mcnemar else 1.0)
        sign = "" if value.startswith("<") else "= "
        return f"p {sign}{value} after correction for {count(self.tests, 'comparison')}"

    @property
    def size(self) -> str:
        """The difference in points without its sign, with its interval."""
        row = self.row
        sign = 1 if self.winner == self.second else -1
        difference = points(abs(row.difference or 0.0)).lstrip("+")
        if row.low is None or row.high is None:
            return f"{difference} points"
        low, high = sorted((sign * row.low, sign * row.high))
        return f"{difference} points (95% interval {points(low)} to {points(high)})"


def agent_name(agent: str, model: str) -> str:
    """An agent with its model, as a sentence says it."""
    return agent if model == "none" else f"{agent} with {model}"


def headlines(
    rows: Iterable[tuple[Column, SuiteCard]], insights: Iterable[Insight], types: dict[str, FailureType]
) -> list[Headline]:
    """One for each measured agent and suite, the best first."""
    failed_attempts: dict[tuple[str, str, str], dict[str, set[object]]] = defaultdict(
        lambda: defaultdict(set)
    )
    for insight in insights:
        if insight.type != FOLLOWS:
            failed_attempts[insight.suite, insight.agent, insight.model][insight.type].add(insight.attempt)
    lines = []
    for column, card in rows:
        counts = failed_attempts[card.suite, column.card.agent, column.card.model]
        common = max(counts, key=lambda name: len(counts[name]), default=None)
        failure = types[common] if common is not None else None
        lines.append(Headline(column, card, failure, len(counts[common]) if common is not None else 0))
    return sorted(lines, key=lambda line: -(line.card.rate or 0.0))


def clearest_contrast(comparisons: Comparisons | None) -> Contrast | None:
    """The comparison with the smallest corrected p, then with the largest difference."""
    tested = [
        (pair, pair.rows[0])
        for pair in (comparisons.comparisons if comparisons else [])
        if pair.rows and pair.rows[0].mcnemar is not None and pair.rows[0].difference is not None
    ]
    if comparisons is None or not tested:
        return None
    pair, row = min(tested, key=_support)
    first, second = _sides(pair)
    winner, loser = (second, first) if (row.difference or 0.0) > 0 else (first, second)
    return Contrast(winner, loser, row, first, second, comparisons.tests)


def calibration_headline(attempts: Sequence[Attempt]) -> str:
    """What a run of calibrators alone shows."""
    parts = []
    for role, name, must in (
        ("calibrator", "oracle", "must pass all"),
        ("calibrator", "idle", "must pass none"),
        ("honest", "", "must pass all"),
        ("cheat", "", "must pass none"),
    ):
        selected = [
            attempt for attempt in attempts if attempt.role == role and (not name or attempt.agent == name)
        ]
        if selected:
            passed = sum(attempt.passed is True for attempt in selected)
            label = name or count(len({attempt.agent for attempt in selected}), f"{role} agent")
            parts.append(f"{label} passed {passed} of {len(selected)} ({must})")
    return "; ".join(parts)


def _sides(pair: Comparison) -> tuple[tuple[str, str], tuple[str, str]]:
    return (pair.first.agent, pair.first.model), (pair.second.agent, pair.second.model)


def _support(tested: tuple[Comparison, PairedRow]) -> tuple[float, float]:
    row = tested[1]
    return (row.mcnemar.holm if row.mcnemar else 1.0, -abs(row.difference or 0.0))
