"""What a run will take, before it is begun: tokens, money, hours, disk, and what it could show.

Earlier logs give the expectation where there are some; otherwise it is an assumption, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from assay.agents import find_agent
from assay.benchmarks import Suite, load_suite
from assay.errors import UsageError
from assay.planning.challenge_power import ChallengePower, challenge_powers
from assay.planning.expected import ASSUMED, LOG_BYTES, TaskForecast, expect
from assay.planning.judge_forecast import JudgeForecast, expect_judge
from assay.planning.prices import money
from assay.scoring.logs.attempts import Attempt
from assay.scoring.logs.reading import find_logs, read_attempts
from assay.scoring.statistics.power import RATES, Power, power_table
from assay.scoring.statistics.rates import rate_of
from assay.tasks import Task
from assay.tasks.metric import Strict


class Forecast(Strict):
    """What a run is expected to take; money is None where no price is known."""

    suite: str
    """The suite."""
    agent: str
    """The agent."""
    model: str
    """The model."""
    tasks: int
    """How many tasks."""
    attempts: int
    """Attempts for each task."""
    input_tokens: int
    """Tokens that the model will read in the whole run."""
    output_tokens: int
    """Tokens that the model will write in the whole run."""
    dollars: float | None
    """Expected cost of the whole run."""
    price: str
    """Where the price comes from, or what to do where there is none."""
    hours: float
    """Expected time, one attempt after the other."""
    hours_limit: float
    """The same had every attempt and its grading used up its budget."""
    at_once: int
    """Attempts that run at the same time."""
    hours_at_once: float
    """Expected time with this many attempts at once; never less than the longest."""
    disk_mb: float
    """Expected: logs, submissions and workspaces that stay."""
    disk_mb_limit: float
    """The same with every sandbox of those at once filled to its cap."""
    gpus: int
    """The most that one task asks for."""
    gpu_tasks: int
    """Tasks that need at least one."""
    gpu_memory_mb: int | None
    """0 where no task needs a GPU; None where one does, since tasks do not state how much."""
    gpu_memory: str
    """The same in words."""
    storage_mb: int
    """The most that one task's sandbox may hold on disk, as the tasks state it."""
    basis: str
    """The earlier logs, or the assumptions in words."""
    power: Power
    """The smallest difference that the run can show."""
    challenges: list[ChallengePower] = []
    """For each challenge, the attempts that tell the scores of two agents apart."""
    per_task: list[TaskForecast]
    """The same for one attempt at each task."""
    judge: JudgeForecast | None = None
    """What the judge takes on top; None without a judge."""


def forecast(
    suite: str | Path | Suite,
    *,
    model: str = "none",
    attempts: int = 1,
    agent: str = "react",
    like: Path | str | None = None,
    price: tuple[float, float] | None = None,
    at_once: int = 10,
    judge_model: str | None = None,
    judge_repeats: int = 3,
    judge_price: tuple[float, float] | None = None,
) -> Forecast:
    """What `attempts` attempts at each task of a suite will take.

    `like` names earlier logs; prices are dollars per million input and output tokens.
    """
    selected = suite if isinstance(suite, Suite) else load_suite(suite)
    entry = find_agent(agent)
    model = model if entry.needs_model else "none"
    tasks = [task for task in selected.tasks if task.kind in entry.kinds]
    earlier = _earlier(like, entry.name, model)
    rows = [expect(task, entry, earlier) for task in tasks]
    read = attempts * sum(row.input_tokens for row in rows)
    written = attempts * sum(row.output_tokens for row in rows)
    dollars, source = money(model, price, read, written, earlier, attempts * len(rows))
    hours = attempts * math.fsum(row.seconds for row in rows) / 3600
    longest = max((row.seconds for row in rows), default=0.0) / 3600
    grading = sum(task.config.verifier.timeout_sec for task in tasks)
    disk_bytes = attempts * len(rows) * _log_bytes(like, earlier) + sum(map(_workspace_bytes, tasks))
    caps = [task.config.environment.storage_mb for task in tasks]
    on_gpu = sum(task.config.environment.gpus > 0 for task in tasks)
    return Forecast(
        suite=selected.name,
        agent=entry.name,
        model=model,
        tasks=len(rows),
        attempts=attempts,
        input_tokens=read,
        output_tokens=written,
        dollars=dollars,
        price=source,
        hours=hours,
        hours_limit=attempts * (math.fsum(row.seconds_limit for row in rows) + grading) / 3600,
        at_once=at_once,
        hours_at_once=max(hours / at_once, longest),
        disk_mb=disk_bytes / 1e6,
        disk_mb_limit=disk_bytes / 1e6 + sum(sorted(caps * attempts, reverse=True)[:at_once]),
        gpus=max((task.config.environment.gpus for task in tasks), default=0),
        gpu_tasks=on_gpu,
        gpu_memory_mb=None if on_gpu else 0,
        gpu_memory="not stated by the tasks" if on_gpu else "none needed",
        storage_mb=max(caps, default=0),
        basis=f"from {len(earlier)} attempts in {like}" if earlier else ASSUMED,
        power=power_table(len(rows), attempts, _rates(earlier)),
        challenges=challenge_powers(tasks, earlier),
        per_task=rows,
        judge=expect_judge(tasks, attempts, judge_model, judge_repeats, judge_price) if judge_model else None,
    )


def _earlier(like: Path | str | None, agent: str, model: str) -> list[Attempt]:
    """The earlier attempts that are most like the planned ones: this agent and model, else this agent."""
    all_attempts = [] if like is None else read_attempts(like)
    if like is not None and not all_attempts:
        raise UsageError(f"{like} has no attempt to expect the like of", hint="name logs of `assay run`")
    same_agent = [attempt for attempt in all_attempts if attempt.agent == agent]
    return [attempt for attempt in same_agent if attempt.model == model] or same_agent


def _log_bytes(like: Path | str | None, earlier: Sequence[Attempt]) -> float:
    """What an attempt leaves behind: its share of earlier logs and submissions, or an assumption."""
    if like is None or not earlier:
        return LOG_BYTES
    logs = find_logs(like)
    archives = {archive for log in logs for archive in (log.parent / "submissions").glob("*.tar")}
    return sum(path.stat().st_size for path in (*logs, *archives)) / len(read_attempts(like))


def _workspace_bytes(task: Task) -> int:
    return sum(map(len, task.workspace.values()))


def _rates(earlier: Sequence[Attempt]) -> tuple[float, ...]:
    """Rates of the weaker agent for which the power is said: the earlier one where it is known."""
    known_rate = rate_of(earlier).rate_scored
    return RATES if known_rate is None else (round(known_rate, 3),)
