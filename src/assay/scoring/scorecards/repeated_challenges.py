"""Several runs of a challenge: how many gave a score, the mean of those with its standard error, the cost."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence

from assay.scoring.logs.attempts import Attempt
from assay.tasks.kinds import CHALLENGE
from assay.tasks.metric import Strict


class Repeated(Strict):
    """One agent with one model on one challenge, or on all challenges of a suite."""

    suite: str
    agent: str
    model: str
    task: str | None
    """None for the whole suite."""
    tasks: int
    runs: int
    scored: int
    """Runs whose submission was valid and has a score: the successes."""
    unknown: int
    """Runs of which that cannot be known."""
    mean: float | None
    """Mean normalised score of the scored runs; of a suite, the mean over its challenges that have one."""
    standard_error: float | None
    """Over runs; None where a challenge has fewer than two scored ones."""
    cost: float | None
    """Mean dollars of a run, over the `priced` ones."""
    priced: int
    pass_cost: float | None
    """Dollars of one run of each challenge; None where one of them has no known cost."""


def repeated(attempts: Iterable[Attempt]) -> list[Repeated]:
    """A row for each challenge of each agent, followed by one for all of them."""
    suites: dict[tuple[str, str, str], dict[str, list[Attempt]]] = defaultdict(lambda: defaultdict(list))
    for attempt in attempts:
        if attempt.kind == CHALLENGE:
            suites[attempt.suite, attempt.agent, attempt.model][attempt.task].append(attempt)
    rows_of_all = []
    for _, tasks in sorted(suites.items()):
        rows = [_challenge(group) for _, group in sorted(tasks.items())]
        rows_of_all += [*rows, _suite(rows)]
    return rows_of_all


def _challenge(runs: Sequence[Attempt]) -> Repeated:
    scores = [run.normalised for run in runs if run.normalised is not None]
    costs = [run.cost for run in runs if run.cost is not None]
    mean_cost = statistics.fmean(costs) if costs else None
    return Repeated(
        suite=runs[0].suite,
        agent=runs[0].agent,
        model=runs[0].model,
        task=runs[0].task,
        tasks=1,
        runs=len(runs),
        scored=len(scores),
        unknown=sum(run.passed is None for run in runs),
        mean=statistics.fmean(scores) if scores else None,
        standard_error=statistics.stdev(scores) / math.sqrt(len(scores)) if len(scores) > 1 else None,
        cost=mean_cost,
        priced=len(costs),
        pass_cost=mean_cost,
    )


def _suite(rows: Sequence[Repeated]) -> Repeated:
    means = [row.mean for row in rows if row.mean is not None]
    errors = [row.standard_error for row in rows if row.mean is not None]
    known_errors = [row for row in errors if row is not None]
    error = (
        math.hypot(*known_errors) / len(known_errors)
        if known_errors and len(known_errors) == len(errors)
        else None
    )
    costs = [row.pass_cost for row in rows if row.pass_cost is not None]
    priced = sum(row.priced for row in rows)
    spent = math.fsum(row.cost * row.priced for row in rows if row.cost is not None)
    return rows[0].model_copy(
        update={
            "task": None,
            "tasks": len(rows),
            "runs": sum(row.runs for row in rows),
            "scored": sum(row.scored for row in rows),
            "unknown": sum(row.unknown for row in rows),
            "mean": statistics.fmean(means) if means else None,
            "standard_error": error,
            "cost": spent / priced if priced else None,
            "priced": priced,
            "pass_cost": math.fsum(costs) if len(costs) == len(rows) else None,
        }
    )
