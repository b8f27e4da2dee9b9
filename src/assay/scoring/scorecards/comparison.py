"""Agents compared in pairs on the tasks that both tried, overall and kind by kind."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import Field

from assay.grading.verdict import Owner
from assay.scoring.failures.insight import failed_items
from assay.scoring.failures.rules import recognise
from assay.scoring.failures.taxonomy import ENVIRONMENT_TYPES
from assay.scoring.logs.attempts import Attempt
from assay.scoring.logs.findings import Finding
from assay.scoring.statistics.clusters import cluster_of
from assay.scoring.statistics.pairs import Pair, difference_interval, mcnemar, permutation
from assay.scoring.statistics.rates import Method, Rate, rate_of
from assay.tasks.kinds import KINDS
from assay.tasks.metric import Strict

Place = tuple[str, str]
"""A suite and a task of it."""


class PValue(Strict):
    """A p-value, and what is left of it when it is one of many."""

    p: float
    """The p-value by itself."""
    holm: float
    """Corrected so that any false alarm at all among the comparisons is as rare as p says."""
    fdr: float
    """Corrected so that the share of false alarms is (Benjamini and Hochberg)."""


class Scores(Strict):
    """A continuous measure on the tasks where both agents have one."""

    tasks: int
    """Tasks on which both agents have a value."""
    first: float
    second: float
    """The mean over those tasks."""
    difference: float
    """Second − first."""
    permutation: PValue
    """The paired permutation test of the difference."""


class PairedRow(Strict):
    """Two agents on one kind of task, or on `all`; differences are second − first."""

    kind: str
    """The kind of task, or `all`."""
    tasks: int
    """Tasks with a scored attempt of both agents: the denominator of everything here."""
    unscored: int
    """Common tasks that are left out, since one agent has no scored attempt at them."""
    clusters: int
    """Papers (masked tasks) or tasks (others) among them."""
    first: float | None
    second: float | None
    """Mean over the tasks of passed / scored."""
    difference: float | None
    """Second − first."""
    low: float | None
    high: float | None
    """The 95% interval of the difference, clustered by paper."""
    bound_low: float | None
    bound_high: float | None
    """The difference over all common tasks had every unscored attempt gone against, or for, the second."""
    first_better: int
    second_better: int
    """Tasks that one agent passes more often than the other."""
    mcnemar: PValue | None
    """McNemar's exact test on those tasks."""
    share: Scores | None
    """The share of items met; an unknown item counts as not met."""
    normalised: Scores | None
    """Challenges' scores: baseline 0, reference 1."""


class Side(Strict):
    """One of the two agents, on the tasks that both tried."""

    agent: str
    """The name of the agent."""
    model: str
    """The model; `none` for agents without one."""
    role: str
    """Whether it is measured, or its result is known in advance."""
    attempts: int
    """Its attempts at those tasks."""
    scored: int
    """Attempts that are known to have passed or failed."""
    missing: dict[Owner, int]
    """Unscored attempts by whose doing that is."""
    rate: Rate
    """How often its attempts at those tasks passed."""
    environment_errors: int
    """Attempts that failed because a package, an import or the network was missing."""


class Comparison(Strict):
    """Two agents on the same tasks."""

    first: Side
    second: Side
    """The agents."""
    rows: list[PairedRow]
    """All tasks together, then each kind."""
    only_first: list[str]
    only_second: list[str]
    """Tasks that one agent alone tried; they are not compared."""
    changed: list[str]
    """Tasks whose contents differ between the two; they are not compared."""


class Comparisons(Strict):
    """Every pair that was asked for; p-values are corrected over all their rows together."""

    comparisons: list[Comparison]
    """One entry for each pair of agents."""
    tests: int
    """How many p-values of each kind were corrected together."""
    findings: list[Finding] = Field(default_factory=list)
    """What a reader should know about the logs."""


def compare_pair(
    first: Iterable[Attempt], second: Iterable[Attempt], *, method: Method = "wilson"
) -> Comparison:
    """Two agents' attempts compared; p-values are not corrected yet."""
    first_tasks, second_tasks = _by_task(first), _by_task(second)
    shared = [place for place in first_tasks if place in second_tasks]
    changed = [place for place in shared if not _same_task(first_tasks[place], second_tasks[place])]
    common = sorted(place for place in shared if place not in changed)
    kinds = {place: first_tasks[place][0].kind for place in common}
    parts = [("all", common)]
    parts += [(kind, [place for place in common if kinds[place] == kind]) for kind in KINDS]
    return Comparison(
        first=_side(first_tasks, common, method),
        second=_side(second_tasks, common, method),
        rows=[
            _row(kind, places, first_tasks, second_tasks) for kind, places in parts if places or kind == "all"
        ],
        only_first=[_name(place) for place in sorted(first_tasks.keys() - second_tasks.keys())],
        only_second=[_name(place) for place in sorted(second_tasks.keys() - first_tasks.keys())],
        changed=[_name(place) for place in sorted(changed)],
    )


Tried = Mapping[Place, Sequence[Attempt]]


def _by_task(attempts: Iterable[Attempt]) -> dict[Place, list[Attempt]]:
    attempts_by_task: dict[Place, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        attempts_by_task[attempt.suite, attempt.task].append(attempt)
    return attempts_by_task


def _name(place: Place) -> str:
    return "/".join(place)


def _same_task(first: Sequence[Attempt], second: Sequence[Attempt]) -> bool:
    digests = [{attempt.digest for attempt in side if attempt.digest} for side in (first, second)]
    return not all(digests) or not digests[0].isdisjoint(digests[1])


def _side(attempts_by_task: Tried, common: Sequence[Place], method: Method) -> Side:
    anyone = next(iter(attempts_by_task.values()))[0]
    counted = [attempt for place in common for attempt in attempts_by_task[place]]
    rate = rate_of(counted, method=method)
    return Side(
        agent=anyone.agent,
        model=anyone.model,
        role=anyone.role,
        attempts=rate.attempts,
        scored=rate.scored,
        missing=rate.missing,
        rate=rate,
        environment_errors=sum(map(_has_environment_error, counted)),
    )


def _has_environment_error(attempt: Attempt) -> bool:
    return any(
        recognise(insight.item, insight.quote) in ENVIRONMENT_TYPES for insight in failed_items([attempt])
    )


def _row(kind: str, places: Sequence[Place], first: Tried, second: Tried) -> PairedRow:
    pairs = [pair for place in places if (pair := _pair(first[place], second[place]))]
    wins = [sum(sign * pair.gain > 0 for pair in pairs) for sign in (-1, 1)]
    low, high = difference_interval(pairs)
    p = mcnemar(*wins)
    return PairedRow(
        kind=kind,
        tasks=len(pairs),
        unscored=len(places) - len(pairs),
        clusters=len({pair.cluster for pair in pairs}),
        first=_mean([pair.first_passed / pair.first_scored for pair in pairs]),
        second=_mean([pair.second_passed / pair.second_scored for pair in pairs]),
        difference=_mean([pair.gain for pair in pairs]),
        low=low,
        high=high,
        bound_low=_mean([_rate(second[at], False) - _rate(first[at], True) for at in places]),
        bound_high=_mean([_rate(second[at], True) - _rate(first[at], False) for at in places]),
        first_better=wins[0],
        second_better=wins[1],
        mcnemar=PValue(p=p, holm=p, fdr=p) if pairs else None,
        share=_scores("share", places, first, second),
        normalised=_scores("normalised", places, first, second),
    )


def _pair(first: Sequence[Attempt], second: Sequence[Attempt]) -> Pair | None:
    scored = [[attempt for attempt in side if attempt.passed is not None] for side in (first, second)]
    if not all(scored):
        return None
    passed = [sum(attempt.passed is True for attempt in side) for side in scored]
    return Pair(cluster_of(first[0]), len(scored[0]), passed[0], len(scored[1]), passed[1])


def _rate(attempts: Sequence[Attempt], unknown: bool) -> float:
    passed = sum(unknown if attempt.passed is None else attempt.passed for attempt in attempts)
    return passed / len(attempts)


def _scores(
    measure: Literal["share", "normalised"], places: Sequence[Place], first: Tried, second: Tried
) -> Scores | None:
    sides: tuple[list[float], list[float]] = ([], [])
    for place in places:
        means = [_mean(_known(measure, attempts_by_task[place])) for attempts_by_task in (first, second)]
        if means[0] is not None and means[1] is not None:
            sides[0].append(means[0])
            sides[1].append(means[1])
    first_mean, second_mean = (_mean(side) for side in sides)
    p = permutation(*sides)
    if first_mean is None or second_mean is None or p is None:
        return None
    return Scores(
        tasks=len(sides[0]),
        first=first_mean,
        second=second_mean,
        difference=second_mean - first_mean,
        permutation=PValue(p=p, holm=p, fdr=p),
    )


def _known(measure: Literal["share", "normalised"], attempts: Sequence[Attempt]) -> list[float]:
    values = [getattr(attempt, measure) for attempt in attempts if attempt.passed is not None]
    return [value for value in values if value is not None]


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
