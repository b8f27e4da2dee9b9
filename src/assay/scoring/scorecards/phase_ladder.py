"""The phase ladder of experiments: how many attempts are right in the first phase, in the first two, …

The rungs are EXP-Bench's, so that its published ladder can stand beside: M integrity, C conclusion, D design,
I implementation, E execution. The last one, R, is ours: the re-made numbers, which EXP-Bench did not check.
Every attempt at an experiment stands below the line of every rung; what a task does not ask for is met.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from assay.grading.verdict import Owner
from assay.scoring.logs.attempts import Attempt, Role
from assay.scoring.scorecards.roles import role_rank
from assay.scoring.statistics.rates import Method, Rate, make_rate
from assay.tasks.kinds import EXPERIMENT
from assay.tasks.metric import Strict

STEPS: dict[str, tuple[str, ...]] = {
    "M": ("integrity",),
    "C": ("conclusion",),
    "D": ("design",),
    "I": ("requirement",),
    "E": ("execution", "handed-in"),
    "R": ("result",),
}
"""A letter for each phase, and the first parts of its items' names."""

RUNGS: tuple[str, ...] = tuple("·".join(list(STEPS)[: count + 1]) for count in range(len(STEPS)))


class Ladder(Strict):
    """One agent with one model on the experiments of one suite."""

    suite: str
    agent: str
    model: str
    role: Role
    """Whether the agent is measured, or its result is known in advance."""
    rungs: dict[str, Rate]
    """M, M·C, … to the whole."""


def ladders(
    attempts: Iterable[Attempt],
    *,
    known_rungs: Mapping[tuple[str, str, str], dict[str, Rate]] | None = None,
    method: Method = "wilson",
) -> list[Ladder]:
    """The ladder of each agent that tried experiments: measured agents first, then the oracle and others.

    Rungs that are known already, by suite, agent and model, are not computed again.
    """
    computed = known_rungs or {}
    groups: dict[tuple[str, str, str], list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        if attempt.kind == EXPERIMENT:
            groups[attempt.suite, attempt.agent, attempt.model].append(attempt)
    all_ladders = [
        Ladder(
            suite=suite,
            agent=agent,
            model=model,
            role=group[0].role,
            rungs=computed.get((suite, agent, model)) or ladder_of(group, method=method),
        )
        for (suite, agent, model), group in sorted(groups.items())
    ]
    return sorted(
        all_ladders, key=lambda ladder: (role_rank(ladder.role), ladder.suite, ladder.agent == "idle")
    )


def ladder_of(attempts: Sequence[Attempt], *, method: Method = "wilson") -> dict[str, Rate]:
    """Rung → how many of the attempts stand on it."""
    passed: Counter[str] = Counter()
    missing: dict[str, Counter[Owner]] = {rung: Counter() for rung in RUNGS}
    for attempt in attempts:
        for rung, is_on in _standing(attempt):
            if is_on is None:
                missing[rung][attempt.owner or "grader"] += 1
            passed[rung] += is_on is True
    return {
        rung: make_rate(passed[rung], len(attempts), dict(sorted(missing[rung].items())), method=method)
        for rung in RUNGS
    }


def _standing(attempt: Attempt) -> Iterator[tuple[str, bool | None]]:
    """Each rung, and whether every item of its phases is met; None where that cannot be known."""
    statuses = {(verdict.phase, verdict.status) for verdict in attempt.verdicts}
    is_on: bool | None = True if attempt.verdicts else None
    for rung, phases in zip(RUNGS, STEPS.values(), strict=True):
        if is_on is not False and any((phase, "unmet") in statuses for phase in phases):
            is_on = False
        elif is_on and any((phase, "unknown") in statuses for phase in phases):
            is_on = None
        yield rung, is_on
