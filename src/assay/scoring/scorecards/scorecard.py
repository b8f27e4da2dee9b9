"""Attempts added up: per agent and model, per suite, per kind. The shape is that of `docs/json.md`."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pydantic import Field

from assay.scoring.logs.attempts import Attempt, Role
from assay.scoring.logs.findings import Finding
from assay.scoring.logs.reading import LogRecord
from assay.scoring.logs.sandbox_kinds import sandbox_counts
from assay.scoring.scorecards.phase_items import AskedItems, items_asked
from assay.scoring.scorecards.phases import PhaseScores, phase_scores
from assay.scoring.scorecards.roles import expected_to_pass, role_rank
from assay.scoring.statistics.clusters import Clustered, clustered
from assay.scoring.statistics.pass_at_k import Repeats, repeats
from assay.scoring.statistics.rates import Method, Rate, rate_of
from assay.tasks.kinds import EXPERIMENT, MASKED, rank
from assay.tasks.metric import Strict

Key = TypeVar("Key")


class KindCard(Rate):
    """One kind of task within a suite."""

    normalised: float | None
    """Mean normalised score of the challenges that have one: baseline 0, reference 1."""
    clustered: Clustered | None
    """The interval when tasks of one paper are not independent."""


class SuiteCard(Rate):
    """One agent with one model on one suite."""

    suite: str
    """The name of the suite."""
    tasks: int
    """Different tasks that were attempted."""
    certified: int
    """How many of those are certified."""
    kinds: dict[str, KindCard]
    """The same for each kind of task that was attempted."""
    labels: dict[str, dict[str, Rate]]
    """By what the tasks are labelled with (type, category, …) and each value of it; tasks without are left
    out."""
    masks: dict[str, Rate]
    """Masked tasks by how many functions were removed: 1 is reproduction, more is replication."""
    experiments: PhaseScores | None
    """Experiments phase by phase; None where none was attempted."""
    repeats: list[Repeats]
    """pass@k and pass^k, for tasks that were attempted more than once."""
    clustered: Clustered | None
    """The interval when tasks of one paper are not independent."""
    tokens: int
    """Tokens of all attempts."""
    cost: float | None
    """Dollars; None when no attempt has a known price."""
    priced: int
    """Attempts whose price is known."""
    seconds: float
    """The sum of the attempts' wall time."""
    working_seconds: float
    """The same without waiting for rate limits and retries."""
    grading_seconds: float
    """Time spent on grading."""
    gpu_hours: float | None = None
    """Of attempts and grading together; None where no GPU was used."""
    gpu_peak_mb: float | None = None
    """The most GPU memory of any attempt or its grading; None where it was not read."""
    sandboxes: dict[str, int] = Field(default_factory=dict)
    """How many attempts ran in each kind of sandbox; `not recorded` where the log does not say."""


class AgentCard(Strict):
    """One agent with one model."""

    agent: str
    """The name of the agent."""
    model: str
    """The model; `none` for agents without one."""
    role: Role
    """Whether it is measured, or its result is known in advance."""
    description: str
    """One line about the agent."""
    recorded: str | None = None
    """The day on which a recorded agent worked; None for an agent that worked in this run."""
    as_expected: bool | None
    """Whether an agent of known worth scored what it must; None for agents that are measured, and where every
    task is at fault."""
    suites: list[SuiteCard]
    """One entry for each suite."""


class Scorecard(Strict):
    """All agents, with what was odd about their logs."""

    agents: list[AgentCard]
    """One entry for each agent and model; measured agents first."""
    interval: Method = "wilson"
    """How the intervals of its rates were made."""
    findings: list[Finding] = Field(default_factory=list)
    """What a reader should know about the logs."""

    def to_json(self) -> dict[str, Any]:
        """The documented shape, as plain dictionaries and lists."""
        return self.model_dump(mode="json")


def scorecard(record: LogRecord | Iterable[Attempt], *, method: Method = "wilson") -> Scorecard:
    """Adds attempts up; real agents first, then calibrators, honest ones and cheats."""
    attempts = record.attempts if isinstance(record, LogRecord) else list(record)
    findings = record.findings if isinstance(record, LogRecord) else []
    groups = _grouped(attempts, lambda attempt: (attempt.agent, attempt.model))
    asked_items = items_asked(attempt for attempt in attempts if attempt.kind == EXPERIMENT)
    cards = [_agent_card(group, method, asked_items) for group in groups.values()]
    cards.sort(key=lambda card: (role_rank(card.role), card.agent != "oracle", card.agent, card.model))
    return Scorecard(agents=cards, interval=method, findings=findings)


def _agent_card(attempts: list[Attempt], method: Method, asked_items: AskedItems) -> AgentCard:
    first = attempts[0]
    expected = expected_to_pass(first.agent, first.role)
    suites = _grouped(attempts, lambda attempt: attempt.suite)
    return AgentCard(
        agent=first.agent,
        model=first.model,
        role=first.role,
        description=first.description,
        recorded=first.recorded or None,
        as_expected=None if expected is None else _as_expected(attempts, expected),
        suites=[_suite_card(suites[suite], method, asked_items) for suite in sorted(suites)],
    )


def _as_expected(attempts: list[Attempt], expected: bool) -> bool | None:
    """Whether each attempt came out as it must; those whose task cannot tell are left out."""
    counted_attempts = [
        attempt for attempt in attempts if attempt.passed is not None or attempt.owner != "task"
    ]
    return all(attempt.passed is expected for attempt in counted_attempts) if counted_attempts else None


def _suite_card(attempts: list[Attempt], method: Method, asked_items: AskedItems) -> SuiteCard:
    kinds = _grouped(attempts, lambda attempt: attempt.kind)
    order = sorted(kinds, key=lambda kind: (rank(kind), kind))
    masked = [attempt for attempt in attempts if attempt.kind == MASKED and attempt.n]
    masks = _grouped(masked, lambda attempt: attempt.n or 0)
    certified = {attempt.task: attempt.certified for attempt in attempts}
    costs = [attempt.cost for attempt in attempts if attempt.cost is not None]
    cards = {kind: _kind_card(kinds[kind], method) for kind in order}
    parts = [part for attempt in attempts for part in (attempt.gpu_hours, attempt.grading_gpu_hours)]
    hours = [part for part in parts if part is not None]
    return SuiteCard(
        **dict(rate_of(attempts, method=method)),
        suite=attempts[0].suite,
        tasks=len(certified),
        certified=sum(certified.values()),
        kinds=cards,
        labels=_labels(attempts, method),
        masks={str(n): rate_of(masks[n], method=method) for n in sorted(masks)},
        experiments=phase_scores(kinds[EXPERIMENT], asked_items, method=method)
        if EXPERIMENT in kinds
        else None,
        repeats=repeats(attempts),
        clustered=cards[order[0]].clustered if len(order) == 1 else clustered(attempts),
        tokens=sum(attempt.tokens for attempt in attempts),
        cost=math.fsum(costs) if costs else None,
        priced=len(costs),
        seconds=math.fsum(attempt.seconds or 0 for attempt in attempts),
        working_seconds=math.fsum(attempt.working_seconds or 0 for attempt in attempts),
        grading_seconds=math.fsum(attempt.grading_seconds or 0 for attempt in attempts),
        gpu_hours=math.fsum(hours) if hours else None,
        gpu_peak_mb=max(
            (attempt.gpu_peak_mb for attempt in attempts if attempt.gpu_peak_mb is not None), default=None
        ),
        sandboxes=sandbox_counts(attempts),
    )


def _labels(attempts: list[Attempt], method: Method) -> dict[str, dict[str, Rate]]:
    groups: dict[str, dict[str, list[Attempt]]] = defaultdict(lambda: defaultdict(list))
    for attempt in attempts:
        for label, value in attempt.labels.items():
            groups[label][value].append(attempt)
    return {
        label: {value: rate_of(values[value], method=method) for value in sorted(values)}
        for label, values in sorted(groups.items())
    }


def _kind_card(attempts: list[Attempt], method: Method) -> KindCard:
    scores = [attempt.normalised for attempt in attempts if attempt.normalised is not None]
    mean = math.fsum(scores) / len(scores) if scores else None
    return KindCard(**dict(rate_of(attempts, method=method)), normalised=mean, clustered=clustered(attempts))


def _grouped(attempts: Iterable[Attempt], key: Callable[[Attempt], Key]) -> dict[Key, list[Attempt]]:
    groups: dict[Key, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        groups[key(attempt)].append(attempt)
    return groups
