"""The attempts in a folder of logs that a proof may use: what was made before a kill is not made again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.agents.agent_code import agent_code
from assay.benchmarks import Suite
from assay.scoring import Attempt, read_attempts

AttemptName = tuple[str, str, int]
"""Agent, task and number of an attempt."""


def counted_attempts(suite: Suite, logs: Path) -> dict[AttemptName, Attempt]:
    """Attempts at the present contents of the suite's tasks, by the present programs of their agents.

    An attempt whose result is unknown is left out: the same command makes it again.
    """
    if not any(logs.glob("*.eval")):
        return {}
    digests = {task.id: task.digest for task in suite.tasks}
    return {
        (attempt.agent, attempt.task, attempt.epoch): attempt
        for attempt in read_attempts([logs])
        if attempt.digest == digests.get(attempt.task)
        and attempt.agent_code == agent_code(attempt.agent)
        and attempt.passed is not None
    }


def evidence_of(attempt: Attempt) -> str:
    """The first item that is not met, in words."""
    unmet = next((verdict for verdict in attempt.verdicts if verdict.status != "met"), None)
    return "all items met" if unmet is None else f"{unmet.item}: {unmet.evidence}"


def environments_of(attempts: Mapping[AttemptName, Attempt], task: str) -> set[str]:
    """What the attempts at a task were made with, where that is not what the task asks for."""
    return {attempt.made_with for attempt in attempts.values() if attempt.task == task and attempt.made_with}
