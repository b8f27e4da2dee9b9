"""Experiments phase by phase: how often each phase is right, and each conjunction of them that is published.

A phase is met when all its items are met. A task asks for a phase when any attempt at it has an item of that
phase; attempts at tasks that do not ask for it are not below the line. EXP-Bench states E, I·E and All·E✓
over the attempts that were executed: such measures are given over all attempts, with bounds, and that way.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set

from assay.grading.verdict import Owner
from assay.scoring.logs.attempts import Attempt
from assay.scoring.scorecards.partial_credit import Credit, credit_of
from assay.scoring.scorecards.phase_ladder import STEPS
from assay.scoring.statistics.rates import Method, Rate, make_rate
from assay.tasks.kinds import EXPERIMENT
from assay.tasks.metric import Strict

MEASURES: dict[str, str] = {
    "D": "D",
    "I": "I",
    "E": "E",
    "I·E": "I·E",
    "C": "C",
    "C·D": "C·D",
    "All✓": "D·I·C",
    "All·E✓": "D·I·C·E",
    "M": "M",
    "R": "R",
}
"""The name of each measure, as EXP-Bench writes it, and the phases that must all be met."""

EXECUTED = ("E", "I·E", "All·E✓")
"""Measures that EXP-Bench states over executed attempts alone."""

THRESHOLD = (
    "a phase is met when all its items are met (threshold 100%); EXP-Bench's D and I are mean shares of items"
    " met, which stand here as partial credit; below the line of each measure are the attempts at tasks that"
    " ask for all its phases; executed: attempts whose execution has a verdict, right or wrong, which is what"
    " EXP-Bench divides E, I·E and All·E✓ by"
)

Asked = Mapping[tuple[str, str], Set[str]]
"""A suite and a task of it → the letters of the phases that it asks for."""


class Measure(Strict):
    """How often all phases of a measure are met."""

    needs: str
    """The phases, joined by `·`."""
    rate: Rate
    """Over all attempts at tasks that ask for those phases; what is unknown has bounds."""
    executed: Rate | None
    """Over those of them that were executed, as EXP-Bench does; None for measures without execution."""


class PhaseCard(Strict):
    """One agent with one model on the experiments of one suite, or on those of one label."""

    suite: str
    agent: str
    model: str
    label: str | None
    """What the tasks are grouped by: type, category, …; None for all of them."""
    value: str | None
    tasks: int
    attempts: int
    measures: dict[str, Measure]
    credit: dict[str, Credit]
    """Partial credit by phase: the mean share of its items that are met."""


def phase_cards(
    attempts: Iterable[Attempt],
    *,
    by: str | None = None,
    asked_phases: Asked | None = None,
    method: Method = "wilson",
) -> list[PhaseCard]:
    """A card for each agent that tried experiments, or for each value of a label; `–` where there is none."""
    experiments = [attempt for attempt in attempts if attempt.kind == EXPERIMENT]
    phases_by_task = asked_phases if asked_phases is not None else phases_asked(experiments)
    groups: dict[tuple[str, str, str, str], list[Attempt]] = defaultdict(list)
    for attempt in experiments:
        value = attempt.labels.get(by, "–") if by else ""
        groups[attempt.suite, attempt.agent, attempt.model, value].append(attempt)
    return [
        PhaseCard(
            suite=suite,
            agent=agent,
            model=model,
            label=by,
            value=value if by else None,
            tasks=len({attempt.task for attempt in group}),
            attempts=len(group),
            measures={name: _measure(name, group, phases_by_task, method) for name in MEASURES},
            credit={letter: credit_of(letter, _asking(letter, group, phases_by_task)) for letter in STEPS},
        )
        for (suite, agent, model, value), group in sorted(groups.items())
    ]


def phases_asked(attempts: Iterable[Attempt]) -> Asked:
    """Which phases each task asks for, as the verdicts on any attempt at it tell."""
    letters = {names[0]: letter for letter, names in STEPS.items()}
    phases_by_task: dict[tuple[str, str], set[str]] = defaultdict(set)
    for attempt in attempts:
        graded_phases = {letters[verdict.phase] for verdict in attempt.verdicts if verdict.phase in letters}
        phases_by_task[attempt.suite, attempt.task] |= graded_phases
    return phases_by_task


def phase_met(letter: str, attempt: Attempt) -> bool | None:
    """Whether every item of a phase is met; None where one is unknown or there is none."""
    statuses = {verdict.status for verdict in attempt.verdicts if verdict.phase in STEPS[letter]}
    return False if "unmet" in statuses else None if "unknown" in statuses or not statuses else True


def all_met(phases: str, attempt: Attempt) -> bool | None:
    """Whether all phases of a measure are met: one that is not decides, whatever is unknown beside it."""
    outcomes = [phase_met(letter, attempt) for letter in phases.split("·")]
    return False if False in outcomes else None if None in outcomes else True


def executed(attempt: Attempt) -> bool:
    """Whether the execution has a verdict, right or wrong."""
    statuses = [verdict.status for verdict in attempt.verdicts if verdict.phase == "execution"]
    return bool(statuses) and "unknown" not in statuses


def _asking(phases: str, attempts: Sequence[Attempt], phases_by_task: Asked) -> list[Attempt]:
    """The attempts at tasks that ask for all the phases; a task of which nothing is known might."""
    letters = set(phases.split("·"))
    return [
        attempt
        for attempt in attempts
        if not (task_phases := phases_by_task.get((attempt.suite, attempt.task), set()))
        or letters <= task_phases
    ]


def _measure(name: str, attempts: Sequence[Attempt], phases_by_task: Asked, method: Method) -> Measure:
    needs = MEASURES[name]
    counted = _asking(needs, attempts, phases_by_task)
    run = [attempt for attempt in counted if executed(attempt)] if name in EXECUTED else None
    return Measure(
        needs=needs,
        rate=_rate(needs, counted, method),
        executed=None if run is None else _rate(needs, run, method),
    )


def _rate(needs: str, attempts: Sequence[Attempt], method: Method) -> Rate:
    met = [(attempt, all_met(needs, attempt)) for attempt in attempts]
    missing: Counter[Owner] = Counter(_owner(needs, attempt) for attempt, is_met in met if is_met is None)
    passed = sum(is_met is True for _, is_met in met)
    return make_rate(passed, len(met), dict(sorted(missing.items())), method=method)


def _owner(needs: str, attempt: Attempt) -> Owner:
    """Whose doing it is that a measure is unknown: the first unknown item's owner, or the attempt's."""
    phases = {name for letter in needs.split("·") for name in STEPS[letter]}
    unknown = (
        verdict for verdict in attempt.verdicts if verdict.status == "unknown" and verdict.phase in phases
    )
    return next((verdict.owner for verdict in unknown if verdict.owner), None) or attempt.owner or "grader"
