"""Masked tasks by how many functions were removed: one is reproduction, two or more is replication."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from assay.scoring.logs.attempts import Attempt
from assay.scoring.scorecards.comparison import PairedRow, compare_pair
from assay.scoring.statistics.rates import Method, Rate, rate_of
from assay.tasks.kinds import MASKED
from assay.tasks.metric import Strict

ONE_PASS = "agentless"
"""The agent that answers once and runs nothing; the others observe and revise."""


class Curve(Strict):
    """One agent with one model on the masked tasks of one suite."""

    suite: str
    agent: str
    model: str
    points: dict[int, Rate]
    """By the number of functions that were removed."""


class OnePass(Strict):
    """The same model in one pass and as an agent, on the same tasks with n functions removed."""

    suite: str
    model: str
    agent: str
    n: int
    paired: PairedRow
    """Differences are agent − one pass."""


def curves(attempts: Iterable[Attempt], *, method: Method = "wilson") -> list[Curve]:
    """The curve of each agent that tried masked tasks."""
    groups: dict[tuple[str, str, str], dict[int, list[Attempt]]] = defaultdict(lambda: defaultdict(list))
    for attempt in _masked(attempts):
        groups[attempt.suite, attempt.agent, attempt.model][attempt.n or 0].append(attempt)
    return [
        Curve(
            suite=suite,
            agent=agent,
            model=model,
            points={n: rate_of(points[n], method=method) for n in sorted(points)},
        )
        for (suite, agent, model), points in sorted(groups.items())
    ]


def one_pass_beside_agents(attempts: Iterable[Attempt]) -> list[OnePass]:
    """Agentless against agentic, paired by task at each n where a model was tried both ways."""
    groups: dict[tuple[str, str, int], dict[str, list[Attempt]]] = defaultdict(lambda: defaultdict(list))
    for attempt in _masked(attempts):
        if attempt.role == "agent" and attempt.model != "none":
            groups[attempt.suite, attempt.model, attempt.n or 0][attempt.agent].append(attempt)
    rows = []
    for (suite, model, n), agents in sorted(groups.items()):
        for agent in sorted(agents):
            if agent == ONE_PASS or ONE_PASS not in agents:
                continue
            paired = compare_pair(agents[ONE_PASS], agents[agent]).rows[0]
            rows.append(OnePass(suite=suite, model=model, agent=agent, n=n, paired=paired))
    return rows


def _masked(attempts: Iterable[Attempt]) -> list[Attempt]:
    return [attempt for attempt in attempts if attempt.kind == MASKED and attempt.n]
