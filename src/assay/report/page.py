"""What the report shows, made ready for the template: facts, score rows, the grid, the cheats."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from assay.scoring import AgentCard, Attempt, Outcome, Record, Role, Scorecard, SuiteCard, scorecard
from assay.scoring.rates import Rate, rate_of


@dataclass(frozen=True)
class TaskRow:
    """One task of the grid."""

    anchor: str
    suite: str
    task: str
    title: str
    kind: str
    n: int | None
    certified: bool
    asked: str
    digest: str


@dataclass(frozen=True)
class Column:
    """One agent with one model."""

    anchor: str
    card: AgentCard

    @property
    def label(self) -> str:
        """Agent and model in one line."""
        return self.card.agent if self.card.model == "none" else f"{self.card.agent} · {self.card.model}"


@dataclass(frozen=True)
class Cell:
    """The attempts of one agent at one task, in words."""

    anchor: str
    status: Outcome | Literal["mixed"]
    text: str
    attempts: list[Attempt]


@dataclass(frozen=True)
class Catch:
    """One item that caught a cheat, with the attempts in which it did."""

    item: str
    evidence: str
    cells: list[tuple[TaskRow, Cell]]


@dataclass(frozen=True)
class Cheat:
    """What a cheat tried and what became of it."""

    column: Column
    rate: Rate
    catches: list[Catch]
    passed: list[tuple[TaskRow, Cell]]
    unknown: list[tuple[TaskRow, Cell]]


@dataclass
class Page:
    """Everything that the template needs."""

    record: Record
    card: Scorecard
    tasks: list[TaskRow]
    columns: list[Column]
    cells: dict[tuple[str, str], Cell] = field(default_factory=dict)
    """By the anchors of task and agent."""
    cheats: list[Cheat] = field(default_factory=list)

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
        return rate_of(
            attempt
            for attempt in self.record.attempts
            if attempt.role in roles and (agent is None or attempt.agent == agent)
        )


def make_page(record: Record) -> Page:
    """Arranges the attempts for showing."""
    card = scorecard(record)
    tasks = _task_rows(record.attempts)
    columns = _columns(card.agents)
    page = Page(record=record, card=card, tasks=tasks, columns=columns)
    rows = {(task.suite, task.task): task for task in tasks}
    by_agent = {(column.card.agent, column.card.model): column for column in columns}
    groups: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for attempt in record.attempts:
        task, column = rows[attempt.suite, attempt.task], by_agent[attempt.agent, attempt.model]
        groups[task.anchor, column.anchor].append(attempt)
    page.cells = {key: _cell("/".join(key), group) for key, group in groups.items()}
    page.cheats = [_cheat(page, column) for column in page.with_role("cheat")]
    return page


def anchors(names: Iterable[str]) -> list[str]:
    """A short name for each, fit for an address and different from all others."""
    taken: dict[str, int] = {}
    found = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-") or "x"
        taken[plain] = taken.get(plain, 0) + 1
        candidate = plain if taken[plain] == 1 else f"{plain}~{taken[plain]}"
        found.append(candidate)
    return found


def _task_rows(attempts: list[Attempt]) -> list[TaskRow]:
    order = {"masked": 0, "experiment": 1, "challenge": 2}
    newest = {(attempt.suite, attempt.task): attempt for attempt in attempts}
    chosen = sorted(
        newest.values(), key=lambda one: (one.suite, order.get(one.kind, 3), one.n or 0, one.task)
    )
    names = anchors(one.task for one in chosen)
    return [
        TaskRow(
            anchor=anchor,
            suite=one.suite,
            task=one.task,
            title=one.title or one.task,
            kind=one.kind,
            n=one.n,
            certified=one.certified,
            asked=one.asked,
            digest=one.digest,
        )
        for anchor, one in zip(names, chosen, strict=True)
    ]


def _columns(agents: list[AgentCard]) -> list[Column]:
    models = defaultdict(set)
    for card in agents:
        models[card.agent].add(card.model)
    names = [card.agent if len(models[card.agent]) == 1 else f"{card.agent}-{card.model}" for card in agents]
    return [Column(anchor, card) for anchor, card in zip(anchors(names), agents, strict=True)]


def _cell(anchor: str, attempts: list[Attempt]) -> Cell:
    outcomes: set[Outcome] = {attempt.outcome for attempt in attempts}
    status: Outcome | Literal["mixed"] = outcomes.pop() if len(outcomes) == 1 else "mixed"
    passed = sum(attempt.passed is True for attempt in attempts)
    unknown = sum(attempt.passed is None for attempt in attempts)
    text: str = status
    if len(attempts) > 1:
        text = f"{passed}/{len(attempts)} passed" + (f", {unknown} unknown" if unknown else "")
    return Cell(anchor=anchor, status=status, text=text, attempts=sorted(attempts, key=lambda one: one.epoch))


def _cheat(page: Page, column: Column) -> Cheat:
    shown = [
        (task, page.cells[task.anchor, column.anchor])
        for task in page.tasks
        if (task.anchor, column.anchor) in page.cells
    ]
    catches: dict[str, list[tuple[TaskRow, Cell]]] = defaultdict(list)
    for task, cell in shown:
        for item in dict.fromkeys(attempt.caught_by for attempt in cell.attempts if attempt.caught_by):
            catches[item].append((task, cell))
    return Cheat(
        column=column,
        rate=rate_of(attempt for _, cell in shown for attempt in cell.attempts),
        catches=[Catch(item, _evidence(item, cells), cells) for item, cells in catches.items()],
        passed=[(task, cell) for task, cell in shown if any(one.passed is True for one in cell.attempts)],
        unknown=[(task, cell) for task, cell in shown if any(one.passed is None for one in cell.attempts)],
    )


def _evidence(item: str, cells: list[tuple[TaskRow, Cell]]) -> str:
    """What the item said the first time."""
    for _, cell in cells:
        for attempt in cell.attempts:
            for verdict in attempt.verdicts:
                if verdict.item == item and verdict.status == "unmet":
                    return verdict.evidence
    return ""
