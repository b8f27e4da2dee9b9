"""How much each task tells about agents: its difficulty, its discrimination, its information.

Only measured agents count: agents whose result is known in advance would make every task look good.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from assay.scoring.logs.attempts import Attempt
from assay.scoring.statistics.rates import Method, Rate, rate_of
from assay.tasks.kinds import rank
from assay.tasks.metric import Strict

AgentKey = tuple[str, str]
"""An agent and its model."""
ALL_PASS, ALL_FAIL, BACKWARDS, NOT_AGENTS = (
    "all pass",
    "all fail",
    "stronger agents fail it",
    "unknown outcomes not owned by agents",
)


class TaskAnalysis(Strict):
    """What attempts say about one task."""

    suite: str
    task: str
    kind: str
    title: str
    agents: int
    """Measured agents with a scored attempt."""
    rate: Rate
    """How often measured agents pass it: the difficulty."""
    discrimination: float | None
    """Correlation of passing it with the agent's pass rate on all other tasks of the suite (point-biserial);
    None with fewer than two agents, or where one of the two does not vary."""
    information: float | None
    """Bits that one attempt gives about which of the agents made it; None with fewer than two agents."""
    minutes: float | None
    """Mean minutes of an attempt and its grading, as far as they are known."""
    information_per_minute: float | None
    flags: list[str]
    """What a maintainer should look at: all pass, all fail, …"""


def analyse_tasks(attempts: Iterable[Attempt], *, method: Method = "wilson") -> list[TaskAnalysis]:
    """Analyse every task that a measured agent tried, by suite, kind and name."""
    by_suite: dict[str, dict[str, list[Attempt]]] = defaultdict(lambda: defaultdict(list))
    for attempt in attempts:
        if attempt.role == "agent":
            by_suite[attempt.suite][attempt.task].append(attempt)
    analyses = []
    for _, tasks in sorted(by_suite.items()):
        rates = _SuiteRates(tasks)
        for task in sorted(tasks, key=lambda name: (rank(tasks[name][0].kind), name)):
            analyses.append(_analysis(tasks[task], rates.without(task), method))
    return analyses


def choose_informative(tasks: Sequence[TaskAnalysis], count: int) -> list[str]:
    """Return the ids of the tasks that tell most per minute, with a fair share for each kind.

    Each kind gets its share of the places, rounded down, but at least one; what is left goes to the most
    informative tasks of any kind. Equal tasks are taken in the order of their names.
    """
    ordered = sorted(tasks, key=lambda task: (-(task.information_per_minute or 0.0), task.task))
    kinds = sorted({task.kind for task in tasks}, key=lambda kind: (rank(kind), kind))
    selected: list[TaskAnalysis] = []
    for kind in kinds:
        members = [task for task in ordered if task.kind == kind]
        places = max(1, count * len(members) // len(tasks))
        selected += members[: min(places, count - len(selected))]
    taken = {id(task) for task in selected}
    unselected = [task for task in ordered if id(task) not in taken]
    taken |= {id(task) for task in unselected[: max(0, count - len(selected))]}
    return [task.task for task in tasks if id(task) in taken]


def information(rates: Sequence[float]) -> float:
    """Bits that one outcome gives about which of equally likely agents with these pass rates made it."""
    mean = fmean(rates)
    return max(0.0, _entropy(mean) - fmean(_entropy(rate) for rate in rates))


def point_biserial(outcomes: Sequence[bool], abilities: Sequence[float]) -> float | None:
    """Correlation of yes/no outcomes with numbers; None where one of the two does not vary."""
    numbers = [float(outcome) for outcome in outcomes]
    if len(set(numbers)) < 2 or max(abilities) - min(abilities) < 1e-12:
        return None
    mean_outcome, mean_ability = fmean(numbers), fmean(abilities)
    product = math.fsum(
        (outcome - mean_outcome) * (ability - mean_ability)
        for outcome, ability in zip(numbers, abilities, strict=True)
    )
    spread = math.fsum((outcome - mean_outcome) ** 2 for outcome in numbers)
    spread *= math.fsum((ability - mean_ability) ** 2 for ability in abilities)
    return max(-1.0, min(1.0, product / math.sqrt(spread)))


def _analysis(attempts: list[Attempt], rest_rates: Mapping[AgentKey, float], method: Method) -> TaskAnalysis:
    first = attempts[0]
    scored = [attempt for attempt in attempts if attempt.passed is not None]
    by_agent: dict[AgentKey, list[bool]] = defaultdict(list)
    for attempt in scored:
        by_agent[attempt.agent, attempt.model].append(attempt.passed is True)
    # Half a pass and half a failure are added to each agent, so that one attempt does not count as certainty.
    smoothed = [(sum(outcomes) + 0.5) / (len(outcomes) + 1) for outcomes in by_agent.values()]
    bits = information(smoothed) if len(by_agent) >= 2 else None
    compared = [attempt for attempt in scored if (attempt.agent, attempt.model) in rest_rates]
    abilities = [rest_rates[attempt.agent, attempt.model] for attempt in compared]
    discrimination = (
        point_biserial([attempt.passed is True for attempt in compared], abilities)
        if len(set(abilities)) >= 2
        else None
    )
    minutes = _minutes(attempts)
    return TaskAnalysis(
        suite=first.suite,
        task=first.task,
        kind=first.kind,
        title=first.title or first.task,
        agents=len(by_agent),
        rate=rate_of(attempts, method=method),
        discrimination=discrimination,
        information=bits,
        minutes=minutes,
        information_per_minute=None if bits is None or not minutes else bits / minutes,
        flags=_flags(attempts, scored, discrimination),
    )


def _flags(attempts: Sequence[Attempt], scored: Sequence[Attempt], discrimination: float | None) -> list[str]:
    passed = sum(attempt.passed is True for attempt in scored)
    unknown_of_others = any(attempt.passed is None and attempt.owner != "agent" for attempt in attempts)
    flags = {
        ALL_PASS: bool(scored) and passed == len(scored),
        ALL_FAIL: bool(scored) and passed == 0,
        BACKWARDS: discrimination is not None and discrimination < 0,
        NOT_AGENTS: unknown_of_others,
    }
    return [flag for flag, raised in flags.items() if raised]


class _SuiteRates:
    """Each agent's pass rate on each task of a suite, and its sum over the tasks."""

    def __init__(self, tasks: Mapping[str, Sequence[Attempt]]) -> None:
        self._by_task = {task: _rates(attempts) for task, attempts in tasks.items()}
        of_agents: dict[AgentKey, list[float]] = defaultdict(list)
        for rates in self._by_task.values():
            for agent, rate in rates.items():
                of_agents[agent].append(rate)
        self._totals = {agent: (math.fsum(rates), len(rates)) for agent, rates in of_agents.items()}

    def without(self, task: str) -> dict[AgentKey, float]:
        """Mean pass rate over all other tasks, each with equal weight, of the agents that tried this one."""
        return {
            agent: (self._totals[agent][0] - rate) / (self._totals[agent][1] - 1)
            for agent, rate in self._by_task[task].items()
            if self._totals[agent][1] > 1
        }


def _rates(attempts: Sequence[Attempt]) -> dict[AgentKey, float]:
    """Each agent's pass rate on one task; agents without a scored attempt are left out."""
    outcomes: dict[AgentKey, list[bool]] = defaultdict(list)
    for attempt in attempts:
        if attempt.passed is not None:
            outcomes[attempt.agent, attempt.model].append(attempt.passed)
    return {agent: fmean(passed) for agent, passed in outcomes.items()}


def _minutes(attempts: Sequence[Attempt]) -> float | None:
    """Mean time of work and mean time of grading, each over the attempts for which it is known."""
    work = [attempt.working_seconds or attempt.seconds for attempt in attempts]
    parts = [
        [seconds for seconds in work if seconds is not None],
        [attempt.grading_seconds for attempt in attempts if attempt.grading_seconds is not None],
    ]
    means = [fmean(part) for part in parts if part]
    return math.fsum(means) / 60 if means else None


def _entropy(share: float) -> float:
    """The entropy of a yes/no outcome, in bits."""
    return -math.fsum(part * math.log2(part) for part in (share, 1 - share) if part > 0)
