"""For the most frequent types of failure: how often the agent is at fault, how often the source of the task.

Certificates and gold runs decide. A certificate shows that the task can be solved as it is written; an agent
that must pass and does not shows that it cannot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from assay.scoring.failures.insight import Insight
from assay.scoring.failures.taxonomy import FOLLOWS, FailureType
from assay.tasks.metric import Strict

MOST_TYPES = 20


class FailureSource(Strict):
    """One type of failure, and whose fault its insights are."""

    type: FailureType
    """The type of failure."""
    insights: int
    """How many items failed in this way."""
    agent: int
    """Of these, the agent's fault."""
    source: int
    """Of these, the fault of the task or of what it was made from."""
    other: int
    """Of these, the fault of the model service, the sandbox or the grader."""
    unknown: int
    """Of these, not known: nothing shows whose fault it is."""
    shown_by: dict[str, int]
    """What shows it (`certificate`, `gold run`, `other agent`, `harness`) → how many insights."""


def failure_sources(insights: Iterable[Insight], types: Mapping[str, FailureType]) -> list[FailureSource]:
    """Return the most frequent types, the most frequent first."""
    by_type: dict[str, list[Insight]] = {}
    for insight in insights:
        if insight.type != FOLLOWS:
            by_type.setdefault(insight.type, []).append(insight)
    ranked = sorted(by_type, key=lambda name: (-len(by_type[name]), name))
    return [_source(types[name], by_type[name]) for name in ranked[:MOST_TYPES]]


def _source(kind: FailureType, insights: list[Insight]) -> FailureSource:
    faults = Counter(insight.fault for insight in insights)
    return FailureSource(
        type=kind,
        insights=len(insights),
        agent=faults["agent"],
        source=faults["task"],
        other=len(insights) - faults["agent"] - faults["task"] - faults[None],
        unknown=faults[None],
        shown_by=dict(Counter(insight.shown_by for insight in insights if insight.shown_by).most_common()),
    )
