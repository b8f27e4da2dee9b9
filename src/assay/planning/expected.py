"""What one attempt at a task is expected to take: from earlier attempts, or else by a stated assumption."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.agents import Budget
from assay.agents.modelled import K
from assay.agents.options import split_name
from assay.protocols import Agent
from assay.scoring.logs.attempts import Attempt
from assay.tasks import Task
from assay.tasks.metric import Strict

CHARACTERS_A_TOKEN = 4
TURNS = 20
TURN_WRITES = 250
TURN_READS = 500
SECONDS_A_TURN = 12.0
LOG_BYTES = 250_000

ASSUMED = (
    f"assumed, since no earlier logs were given: {CHARACTERS_A_TOKEN} characters a token; {TURNS} turns"
    f" (or the task's own limit), each writing {TURN_WRITES} tokens and reading {TURN_READS} more on top of"
    " all before, without caching (agentless and best_of: each answer is as long as the solution);"
    f" {SECONDS_A_TURN:g} s a turn; {LOG_BYTES // 1000} kB of logs an attempt"
)


class TaskForecast(Strict):
    """What one attempt at one task is expected to take."""

    task: str
    """The id of the task."""
    kind: str
    """The kind of task."""
    input_tokens: int
    """Tokens that the model will read."""
    output_tokens: int
    """Tokens that the model will write."""
    seconds: float
    """Expected time of the agent."""
    seconds_limit: float
    """The task's budget: no attempt takes longer."""
    basis: str
    """`this task`, `this kind` or `all` of the earlier logs, or `assumption`."""


def expect(task: Task, agent: Agent, earlier: Sequence[Attempt]) -> TaskForecast:
    """What an attempt at a task will take, by the earlier attempts that are most like it."""
    limit = Budget().of(task)
    seconds_limit = limit.seconds or task.config.agent.timeout_sec
    basis, similar = _most_like(task, earlier)
    if similar:
        read = mean([attempt.tokens - attempt.output_tokens for attempt in similar])
        written = mean([attempt.output_tokens for attempt in similar])
        seconds = mean([attempt.seconds for attempt in similar if attempt.seconds is not None])
    elif agent.needs_model:
        read, written, seconds = _assumed(task, agent.name)
    else:
        read, written, seconds = 0.0, 0.0, SECONDS_A_TURN
    return TaskForecast(
        task=task.id,
        kind=task.kind,
        input_tokens=round(read),
        output_tokens=round(written),
        seconds=min(seconds, seconds_limit),
        seconds_limit=seconds_limit,
        basis=basis,
    )


def _most_like(task: Task, earlier: Sequence[Attempt]) -> tuple[str, Sequence[Attempt]]:
    """Earlier attempts at this task, else at this kind, else all; and which of these they are."""
    same_task = [attempt for attempt in earlier if attempt.task == task.id]
    kin = [attempt for attempt in earlier if attempt.kind == task.kind]
    choices = (("this task", same_task), ("this kind", kin), ("all", earlier))
    return next(((basis, attempts) for basis, attempts in choices if attempts), ("assumption", []))


def _assumed(task: Task, agent: str) -> tuple[float, float, float]:
    """Input tokens, output tokens and seconds of an attempt that nothing is known of."""
    instruction_tokens = len(task.instruction) / CHARACTERS_A_TOKEN
    if answers := _whole_answers(agent):
        from assay.agents.agentless import REQUEST, show_files

        file_tokens = len(show_files(task) + REQUEST) / CHARACTERS_A_TOKEN
        changed = sum(len(data) for data in task.gold_files.values()) / CHARACTERS_A_TOKEN
        read, written = instruction_tokens + file_tokens, changed + TURN_WRITES
        return answers * read, answers * written, answers * SECONDS_A_TURN
    turns = task.assay.turns or TURNS
    read = turns * instruction_tokens + (TURN_READS + TURN_WRITES) * turns * (turns - 1) / 2
    if task.assay.tokens is not None:
        read = min(read, task.assay.tokens)
    return read, turns * TURN_WRITES, turns * SECONDS_A_TURN


def _whole_answers(agent: str) -> int:
    """How many answers with all files an agent gives, by its name with options; 0 if it works in turns."""
    name = agent.partition("[")[0]
    if name == "best_of":
        return int(split_name(agent)[1].get(K.name, K.default))
    return 1 if name == "agentless" else 0


def mean(values: Sequence[float]) -> float:
    """The mean, or zero of nothing."""
    return math.fsum(values) / len(values) if values else 0.0
