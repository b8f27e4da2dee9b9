"""The two passes: failed items become insights, insights become types that can be counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

from pydantic import Field

from assay.scoring.failures.clustering import Group, cluster
from assay.scoring.failures.fault import Witnesses
from assay.scoring.failures.insight import Insight, failed_items, fingerprint, plain_words
from assay.scoring.failures.mapping import TypeAssignment, TypeMap
from assay.scoring.failures.prevalence import Prevalence, prevalence
from assay.scoring.failures.proposing import LONGEST_TITLE, Propose, proposed_type
from assay.scoring.failures.rules import recognise
from assay.scoring.failures.sources import FailureSource, failure_sources
from assay.scoring.failures.taxonomy import FailureType, Phase, taxonomy
from assay.scoring.logs.attempts import Attempt, Role
from assay.scoring.statistics.rates import Method
from assay.tasks.metric import Strict

GENERAL: dict[Phase, str] = {"implementation": "requirement", "execution": "other-crash"}
"""The type of a failure that stands alone in its phase."""

_LOST = {"model": "model-service", "sandbox": "sandbox", "task": "task"}


class Analysis(Strict):
    """Every insight with its type, how common the types are, and the map from words to types."""

    insights: list[Insight]
    """One entry for each item that is not met."""
    prevalence: list[Prevalence]
    """How common each type of failure is, for all agents together and for each."""
    sources: list[FailureSource] = Field(default_factory=list)
    """Whose fault the 20 most frequent types of failure are."""
    map: TypeMap
    """What `--mapping FILE` stores."""
    failed: int
    """Attempts that did not pass, or were lost."""
    attempts: int
    """Attempts of measured agents."""
    agents: list[str] = Field(default_factory=list)
    """The measured agents."""


def analyse(
    attempts: Iterable[Attempt],
    *,
    type_map: TypeMap | None = None,
    propose: Propose | None = None,
    roles: tuple[Role, ...] = ("agent",),
    method: Method = "wilson",
) -> Analysis:
    """Analyses the failures of some agents; the others are witnesses of what can be met."""
    everyone = list(attempts)
    selected = [attempt for attempt in everyone if attempt.role in roles]
    failures = list(failed_items(selected))
    types = _classify(failures, type_map or TypeMap(), propose)
    witnesses = Witnesses(everyone)
    insights = []
    for insight in failures:
        assignment = types.assignments[_mark(insight.phase, insight.quote)]
        blame = witnesses.blame(insight)._asdict()
        fields = {"type": assignment.type, "by": assignment.by, **blame}
        insights.append(insight.model_copy(update=fields))
    kinds = {**taxonomy(), **types.types}
    return Analysis(
        insights=insights,
        prevalence=prevalence(selected, insights, kinds, method),
        sources=failure_sources(insights, kinds),
        map=types,
        failed=sum(attempt.passed is not True for attempt in selected),
        attempts=len(selected),
        agents=sorted({attempt.agent for attempt in selected}),
    )


_mark = lru_cache(maxsize=100_000)(fingerprint)


def _classify(insights: list[Insight], type_map: TypeMap, propose: Propose | None) -> TypeMap:
    """The map with a type for every insight: what it knew before, then rules, then the rest by its words."""
    assignments = dict(type_map.assignments)
    types = dict(type_map.types)
    unsorted: dict[Phase, Counter[str]] = defaultdict(Counter)
    example: dict[str, str] = {}
    for insight in insights:
        mark = _mark(insight.phase, insight.quote)
        if mark in assignments:
            continue
        type_id = _ruled(insight)
        if type_id is None:
            unsorted[insight.phase][mark] += 1
            example.setdefault(mark, insight.quote)
        else:
            assignments[mark] = TypeAssignment(
                type=type_id, by="rule", phase=insight.phase, quote=insight.quote
            )
    for phase, counts in unsorted.items():
        for mark, (kind, assignment) in _named(phase, counts, example, propose).items():
            assignments[mark] = assignment
            if kind.id not in taxonomy():
                types.setdefault(kind.id, kind)
    return TypeMap(types=types, assignments=assignments)


def _ruled(insight: Insight) -> str | None:
    if insight.phase != "infrastructure":
        return recognise(insight.item, insight.quote)
    if "money was spent" in insight.quote or "BudgetSpent" in insight.quote:
        return "spent"
    return _LOST.get(insight.owner, "grader")


def _named(
    phase: Phase, counts: Counter[str], example: dict[str, str], propose: Propose | None
) -> dict[str, tuple[FailureType, TypeAssignment]]:
    """A type for each fingerprint that no rule knows."""
    marks = [mark for mark, _ in counts.most_common()]
    groups = cluster([plain_words(example[mark]) for mark in marks])
    left = set(range(len(marks))) - {place for group in groups for place in group.members}
    groups += [Group((place,), ()) for place in sorted(left)]
    quotes = [example[marks[group.members[0]]] for group in groups]
    proposals = propose(phase, quotes) if propose else [None] * len(groups)
    types_by_mark = {}
    for group, proposal in zip(groups, proposals, strict=True):
        times = sum(counts[marks[place]] for place in group.members)
        typical = plain_words(example[marks[group.members[0]]])
        kind = proposed_type(proposal, phase) if proposal else _by_words(phase, group, times, typical)
        for place in group.members:
            quote, by = example[marks[place]], "model" if proposal else "cluster"
            assignment = TypeAssignment.model_validate(
                {"type": kind.id, "by": by, "phase": phase, "quote": quote}
            )
            types_by_mark[marks[place]] = (kind, assignment)
    return types_by_mark


def _by_words(phase: Phase, group: Group, times: int, typical: str) -> FailureType:
    """A type named after its most typical text; what occurs once is of its phase's general type."""
    if times == 1 and phase in GENERAL:
        return taxonomy()[GENERAL[phase]]
    if not group.words:
        return FailureType(id=f"{phase}-other", phase=phase, title="other failures", by="cluster")
    name = "-".join(sorted(group.words))
    title = typical if len(typical) <= LONGEST_TITLE else typical[: LONGEST_TITLE - 1] + "…"
    return FailureType(id=f"{phase}-{name}", phase=phase, title=f"as in “{title}”", by="cluster")
