"""What the report shows, made ready for the template: facts, score rows, the grid, the cheats."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from assay.reporting.cheats import Cheat, make_cheat
from assay.reporting.citations import Citations
from assay.reporting.diffs import gather
from assay.reporting.failure_table import SOURCE_HEADINGS, source_rows
from assay.reporting.figures import Figures, make_figures
from assay.reporting.headline import Contrast, Headline, calibration_headline, clearest_contrast, headlines
from assay.reporting.rows import Column, TaskRow
from assay.reporting.transcripts import TranscriptExcerpt, gather_transcripts
from assay.reporting.wording import commands
from assay.scoring import (
    AgentCard,
    Attempt,
    Comparisons,
    LogRecord,
    Method,
    Role,
    Scorecard,
    SuiteCard,
    compare,
    scorecard,
)
from assay.scoring.failures import FOLLOWS, Analysis, FailureType, Insight, analyse
from assay.scoring.scorecards.item_analysis import TaskAnalysis, analyse_tasks
from assay.scoring.scorecards.over_time import Timeline
from assay.scoring.scorecards.phase_items import items_asked
from assay.scoring.scorecards.phases import MEASURES, PhaseCard, phase_cards
from assay.scoring.statistics.rates import Rate, rate_of
from assay.tasks.kinds import rank

MOST_COMPARED = 5
MOST_PAIRED = 2000
"""Agents and attempts up to which every pair is compared in the report."""

Key = tuple[str, str, str, str, int]
"""What makes two samples the same attempt."""


@dataclass
class ReportPage:
    """Everything that the template needs."""

    record: LogRecord
    card: Scorecard
    tasks: list[TaskRow]
    columns: list[Column]
    ordered: list[tuple[int, int, Attempt]]
    """Every attempt with the places of its task and agent, by task, agent and number."""
    figures: Figures
    analysis: Analysis
    diffs: dict[str, str]
    """Submission → what it changed."""
    transcripts: dict[str, TranscriptExcerpt]
    """Sample → what the agent said and did."""
    commands: dict[str, str]
    """What re-makes the numbers: of the scorecard, of the figures, of the failures."""
    comparisons: Comparisons | None
    """Every pair of measured agents; None where there are none, or too many."""
    cheats: list[Cheat] = field(default_factory=list)

    @cached_property
    def citations(self) -> Citations:
        """The published numbers that are shown."""
        return Citations(self.figures.published, self.types.values())

    @cached_property
    def items(self) -> list[TaskAnalysis]:
        """What each task tells about the measured agents."""
        return analyse_tasks(self.record.attempts, method=self.card.interval)

    @cached_property
    def measures(self) -> list[str]:
        """The measures of experiments that any task here asks for."""
        cards = self.figures.phases
        return [name for name in MEASURES if any(card.measures[name].rate.attempts for card in cards)]

    def phases_by(self, label: str) -> list[PhaseCard]:
        """Experiments phase by phase, for each value of a label."""
        measured = [attempt for attempt in self.record.attempts if attempt.role == "agent"]
        labelled = [attempt for attempt in measured if label in attempt.labels]
        asked_items = items_asked(self.record.attempts)
        return phase_cards(labelled, by=label, asked_items=asked_items, method=self.card.interval)

    def over_time(self) -> list[tuple[TaskRow, list[Timeline]]]:
        """The challenges that were scored on the way, each with its agents."""
        by_task: dict[str, tuple[TaskRow, list[Timeline]]] = {}
        for timeline in self.figures.timelines:
            task = self.task(timeline.suite, timeline.task)
            by_task.setdefault(task.anchor, (task, []))[1].append(timeline)
        return list(by_task.values())

    @cached_property
    def _rows(self) -> dict[tuple[str, str], TaskRow]:
        return {(task.suite, task.task): task for task in self.tasks}

    def task(self, suite: str, task: str) -> TaskRow:
        """A row of the grid."""
        return self._rows[suite, task]

    @cached_property
    def insights(self) -> dict[tuple[Key, str], Insight]:
        """By attempt and item."""
        return {(insight.attempt, insight.item): insight for insight in self.analysis.insights}

    @cached_property
    def ungraded(self) -> dict[Key, Insight]:
        """The insights of attempts that have no grade at all."""
        return {insight.attempt: insight for insight in self.analysis.insights if insight.item == "attempt"}

    @cached_property
    def types(self) -> dict[str, FailureType]:
        """The types of failure that occur, in the order of their phases."""
        return {row.type.id: row.type for row in self.analysis.prevalence}

    @cached_property
    def faults(self) -> Sequence[tuple[str, int]]:
        """Insights by whose fault they are."""
        counted = Counter(
            insight.fault or "unclear" for insight in self.analysis.insights if insight.type != FOLLOWS
        )
        return counted.most_common()

    @property
    def source_headings(self) -> Sequence[str]:
        """The headings of the table that says whose fault frequent failures are."""
        return SOURCE_HEADINGS

    @cached_property
    def source_rows(self) -> Sequence[Sequence[str]]:
        """Its rows."""
        return source_rows(self.analysis)

    def column(self, agent: str, model: str) -> Column:
        """The column of an agent with a model."""
        return next(
            column for column in self.columns if (column.card.agent, column.card.model) == (agent, model)
        )

    @cached_property
    def headlines(self) -> list[Headline]:
        """What each measured agent achieved, the best first."""
        rows = [row for suite in self.suites for row in self.score_rows(suite, "agent")]
        return headlines(rows, self.analysis.insights, self.types)

    @cached_property
    def contrast(self) -> Contrast | None:
        """The difference between two agents that has the best support."""
        return clearest_contrast(self.comparisons)

    @property
    def calibration(self) -> str:
        """What the calibrators show, in one sentence."""
        return calibration_headline(self.record.attempts)

    def attempts_of(self, place: int) -> list[tuple[TaskRow, Attempt]]:
        """The attempts of one agent, with their tasks."""
        return [(self.tasks[task], attempt) for task, agent, attempt in self.ordered if agent == place]

    @property
    def suites(self) -> list[str]:
        """The suites in the logs."""
        return sorted({task.suite for task in self.tasks})

    @property
    def kinds(self) -> list[str]:
        """The kinds of task in the logs, in the order of the tasks."""
        return list(dict.fromkeys(task.kind for task in self.tasks))

    @property
    def certified(self) -> int:
        """How many tasks are certified."""
        return sum(task.certified for task in self.tasks)

    def with_role(self, *roles: Role) -> list[Column]:
        """The agents of some roles."""
        return [column for column in self.columns if column.card.role in roles]

    def score_rows(self, suite: str, *roles: Role) -> list[tuple[Column, SuiteCard]]:
        """The rows of a suite's score table."""
        return [
            (column, card)
            for column in self.with_role(*roles)
            for card in column.card.suites
            if card.suite == suite
        ]

    def rate_of_role(self, *roles: Role, agent: str | None = None) -> Rate:
        """The rate of all agents of some roles together."""
        selected = (
            attempt
            for attempt in self.record.attempts
            if attempt.role in roles and (agent is None or attempt.agent == agent)
        )
        return rate_of(selected, method=self.card.interval)


def make_page(record: LogRecord, method: Method = "wilson", page_folder: Path | None = None) -> ReportPage:
    """Arranges the attempts for showing; links to files are relative to the page's folder, if it is known."""
    card = scorecard(record, method=method)
    tasks = _task_rows(record.attempts)
    columns = _columns(card.agents)
    rows = {(task.suite, task.task): place for place, task in enumerate(tasks)}
    by_agent = {(column.card.agent, column.card.model): place for place, column in enumerate(columns)}
    ordered = [
        (rows[attempt.suite, attempt.task], by_agent[attempt.agent, attempt.model], attempt)
        for attempt in record.attempts
    ]
    analysis = analyse(record.attempts, method=method)
    page = ReportPage(
        record=record,
        card=card,
        tasks=tasks,
        columns=columns,
        ordered=sorted(ordered, key=lambda entry: (entry[0], entry[1], entry[2].epoch)),
        figures=make_figures(record.attempts, method=method, card=card),
        analysis=analysis,
        diffs=gather(record.attempts),
        transcripts=gather_transcripts(record.attempts, page_folder),
        commands=commands(record.attempts, method),
        comparisons=_comparisons(record.attempts, method),
    )
    page.cheats = [
        make_cheat(column, page.attempts_of(place))
        for place, column in enumerate(columns)
        if column.card.role == "cheat"
    ]
    return page


def _comparisons(attempts: list[Attempt], method: Method) -> Comparisons | None:
    measured = [attempt for attempt in attempts if attempt.role == "agent"]
    agents = {(attempt.agent, attempt.model) for attempt in measured}
    if not 2 <= len(agents) <= MOST_COMPARED or len(measured) > MOST_PAIRED:
        return None
    return compare(LogRecord(attempts=measured), method=method)


def anchors(names: Iterable[str]) -> list[str]:
    """A short name for each, fit for an address and different from all others."""
    uses: dict[str, int] = {}
    unique_names = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-") or "x"
        uses[plain] = uses.get(plain, 0) + 1
        candidate = plain if uses[plain] == 1 else f"{plain}~{uses[plain]}"
        unique_names.append(candidate)
    return unique_names


def _task_rows(attempts: list[Attempt]) -> list[TaskRow]:
    newest = {(attempt.suite, attempt.task): attempt for attempt in attempts}
    newest_attempts = sorted(
        newest.values(),
        key=lambda attempt: (attempt.suite, rank(attempt.kind), attempt.n or 0, attempt.task),
    )
    names = anchors(attempt.task for attempt in newest_attempts)
    return [
        TaskRow(
            anchor=anchor,
            suite=attempt.suite,
            task=attempt.task,
            title=attempt.title or attempt.task,
            kind=attempt.kind,
            n=attempt.n,
            certified=attempt.certified,
            labels=attempt.labels,
            instruction=attempt.asked,
            digest=attempt.digest,
        )
        for anchor, attempt in zip(names, newest_attempts, strict=True)
    ]


def _columns(agents: list[AgentCard]) -> list[Column]:
    models = defaultdict(set)
    for card in agents:
        models[card.agent].add(card.model)
    names = [card.agent if len(models[card.agent]) == 1 else f"{card.agent}-{card.model}" for card in agents]
    return [Column(anchor, card) for anchor, card in zip(anchors(names), agents, strict=True)]
