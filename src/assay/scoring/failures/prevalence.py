"""How common each type of failure is: per phase and agent, with intervals and denominators."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from assay.scoring.failures.insight import Insight
from assay.scoring.failures.rules import phase_of
from assay.scoring.failures.taxonomy import FOLLOWS, PHASES, FailureType, Phase
from assay.scoring.logs.attempts import Attempt
from assay.scoring.statistics.rates import Method, interval
from assay.tasks.metric import Strict


class Prevalence(Strict):
    """One type of failure: how many attempts show it, and what part of its phase's insights it is."""

    type: FailureType
    """The type of failure."""
    agent: str | None
    """None for all agents together."""
    model: str | None
    """Its model."""
    shown: int
    """Attempts that show it at least once."""
    attempts: int
    """Attempts that have a verdict in its phase."""
    rate: float | None
    """Shown / attempts."""
    low: float | None
    high: float | None
    """The 95% interval of shown / attempts."""
    insights: int
    """Insights of this type."""
    share: float
    """Of the insights of its phase, as EXP-Bench counts; what follows from another failure is left out."""


Whose = tuple[str, str] | None


def prevalence(
    attempts: Iterable[Attempt],
    insights: Iterable[Insight],
    types: dict[str, FailureType],
    method: Method = "wilson",
) -> list[Prevalence]:
    """Every type that occurs, by phase and falling frequency: of all agents first, then of each."""
    attempt_counts = _tried(attempts)
    attempts_by_type: dict[tuple[Whose, str], set[tuple[object, ...]]] = defaultdict(set)
    counts: Counter[tuple[Whose, str]] = Counter()
    totals: Counter[tuple[Whose, Phase]] = Counter()
    for insight in insights:
        if insight.type == FOLLOWS:
            continue
        for agent in (None, (insight.agent, insight.model)):
            attempts_by_type[agent, insight.type].add(insight.attempt)
            counts[agent, insight.type] += 1
            totals[agent, types[insight.type].phase] += 1
    rows = [
        _row(types[name], agent, len(attempts_by_type[agent, name]), attempt_counts, count, totals, method)
        for (agent, name), count in counts.items()
    ]
    rows.sort(key=_order)
    return rows


def _tried(attempts: Iterable[Attempt]) -> Counter[tuple[Whose, Phase]]:
    attempt_counts: Counter[tuple[Whose, Phase]] = Counter()
    for attempt in attempts:
        phases = {phase_of(verdict.item) for verdict in attempt.verdicts} | {"infrastructure"}
        for phase in phases:
            attempt_counts[None, phase] += 1  # type: ignore[index]
            attempt_counts[(attempt.agent, attempt.model), phase] += 1  # type: ignore[index]
    return attempt_counts


def _row(
    kind: FailureType,
    agent: Whose,
    affected: int,
    attempt_counts: Counter[tuple[Whose, Phase]],
    count: int,
    totals: Counter[tuple[Whose, Phase]],
    method: Method,
) -> Prevalence:
    attempts = max(attempt_counts[agent, kind.phase], affected)
    low, high = interval(affected, attempts, method=method)
    return Prevalence(
        type=kind,
        agent=agent[0] if agent else None,
        model=agent[1] if agent else None,
        shown=affected,
        attempts=attempts,
        rate=affected / attempts if attempts else None,
        low=low,
        high=high,
        insights=count,
        share=count / totals[agent, kind.phase],
    )


def _order(row: Prevalence) -> tuple[bool, str, str, int, int, str]:
    phase = PHASES.index(row.type.phase)
    return (row.agent is not None, row.agent or "", row.model or "", phase, -row.shown, row.type.id)
