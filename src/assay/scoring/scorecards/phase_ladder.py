"""The phase ladder of experiments: how many attempts are right in the first phase, in the first two, …

The rungs are EXP-Bench's, so that its published ladder can stand beside: M integrity, C conclusion, D design,
I implementation, E execution. The last one, R, is ours: the re-made numbers, which EXP-Bench did not check.
Every attempt at an experiment stands below the line of every rung; what a task does not ask for is met.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

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


def ladders(attempts: Iterable[Attempt], *, method: Method = "wilson") -> list[Ladder]:
    """The ladder of each agent that tried experiments: measured agents first, then the oracle and others."""
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
            rungs=ladder_of(group, method=method),
        )
        for (suite, agent, model), group in sorted(groups.items())
    ]
    return sorted(
        all_ladders, key=lambda ladder: (role_rank(ladder.role), ladder.suite, ladder.agent == "idle")
    )


def ladder_of(attempts: Sequence[Attempt], *, method: Method = "wilson") -> dict[str, Rate]:
    """Rung → how many of the attempts stand on it."""
    return {rung: _rate(rung, attempts, method) for rung in RUNGS}


def stands_on(rung: str, attempt: Attempt) -> bool | None:
    """Whether every item of the rung's phases is met; None where that cannot be known."""
    if not attempt.verdicts:
        return None
    phases = {name for letter in rung.split("·") for name in STEPS[letter]}
    statuses = {verdict.status for verdict in attempt.verdicts if verdict.phase in phases}
    return False if "unmet" in statuses else None if "unknown" in statuses else True


def _rate(rung: str, attempts: Sequence[Attempt], method: Method) -> Rate:
    standing = [(attempt, stands_on(rung, attempt)) for attempt in attempts]
    missing: Counter[Owner] = Counter(attempt.owner or "grader" for attempt, on in standing if on is None)
    passed = sum(on is True for _, on in standing)
    return make_rate(passed, len(standing), dict(sorted(missing.items())), method=method)
