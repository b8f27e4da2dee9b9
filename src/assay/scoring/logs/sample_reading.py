"""Turns one Inspect sample into an attempt."""

from __future__ import annotations

import math
import sys
from typing import Any

from assay.grading.checkpoint import Checkpoint
from assay.grading.grading_rules import title_of_log
from assay.grading.judge import ROLE
from assay.grading.runs import Runs
from assay.grading.verdict import Grade
from assay.scoring.logs.attempts import Attempt
from assay.scoring.logs.failure_owner import interrupted, owner_of_error, owner_of_grade
from assay.scoring.logs.log_file import LoggedSample
from assay.scoring.scorecards.roles import expected_to_pass, role_of

TO_BE_GRADED = "the attempt is still to be graded: the same `assay run` command does it"
_NOT_COUNTED = ("trace", "judge")
"""Parts of a grade that no attempt has: they are the largest."""


_OF_MACHINE = ("node", "processor", "gpu", "alone", "sandbox", "sandbox_version", "limits")


class Interrupted(ValueError):
    """The sample was stopped from outside before it ended: not an attempt yet."""

    def __init__(self, key: tuple[str, str, str, str, int]) -> None:
        super().__init__(f"{key[3]} (attempt {key[4]}) was interrupted")
        self.key = key


def attempt_of(sample: LoggedSample, metadata: dict[str, object], log: str) -> Attempt:
    """The attempt that a sample records; ValueError where it records none."""
    grade = _grade(sample)
    task = sample.metadata.get("assay") or {}
    agent, model = str(metadata["agent"]), str(metadata.get("model") or "none")
    if grade is None and sample.error is not None and interrupted(sample.error):
        raise Interrupted((title_of_log(metadata), agent, model, sample.id, _number(sample, task)))
    fields: dict[str, Any] = {
        "suite": title_of_log(metadata),
        "source": str(metadata.get("source") or metadata["suite"]),
        "agent": agent,
        "model": model,
        "role": role_of(agent, metadata.get("role")),
        "description": str(metadata.get("description") or ""),
        "agent_code": str(metadata.get("agent_code") or ""),
        "made_with": str(metadata.get("made_with") or ""),
        "task": sample.id,
        "epoch": _number(sample, task),
        "asked": _text(sample.input),
        "limit": sample.limit,
        "seconds": _possible(sample.total_time),
        "working_seconds": _possible(sample.working_time),
        "submission": str(sample.store.get("submission") or ""),
        "log": log,
        "sample": sample.uuid,
        "completed": sample.completed_at,
    }
    fields |= _recorded(sample, metadata)
    fields |= {
        name: task[name]
        for name in ("kind", "title", "certified", "n", "labels", "digest", "lacking")
        if task.get(name) is not None
    }
    result = _result(sample, grade)
    may_pass = expected_to_pass(agent, fields["role"]) is not False
    if may_pass and task.get("lacking") and result["passed"] is False and result["owner"] == "agent":
        # Nobody can tell whether the agent would have passed on a machine that has what the task declares.
        result |= {"passed": None, "owner": "task"}
    return Attempt.model_validate(_with_earlier_parts(sample, fields | _spent(sample)) | result)


def _recorded(sample: LoggedSample, metadata: dict[str, object]) -> dict[str, Any]:
    """The day of a recorded agent and the time that it took then; replaying its files says nothing of it."""
    options = metadata.get("options")
    date = options.get("recorded") if isinstance(options, dict) else None
    if not date:
        return {}
    recording = sample.metadata.get("recorded") or {}
    return {"recorded": str(date), "seconds": recording.get("seconds"), "working_seconds": None}


def _number(sample: LoggedSample, task: dict[str, Any]) -> int:
    """Which attempt at the task this is; a resumed log holds the later ones under its first epochs."""
    numbers = task.get("attempts") or []
    return int(numbers[sample.epoch - 1]) if sample.epoch <= len(numbers) else sample.epoch


def _grade(sample: LoggedSample) -> Grade | None:
    details = (sample.score.get("metadata") or {}).get("grade")
    if not details:
        return None
    counted = {name: part for name, part in details.items() if name not in _NOT_COUNTED}
    return Grade.model_validate(counted)


def _result(sample: LoggedSample, grade: Grade | None) -> dict[str, Any]:
    """How the attempt ended, from its grade or from what stood in the way of one."""
    if grade is None:
        waits = "taken" in (sample.score.get("metadata") or {})
        error = sample.error or (TO_BE_GRADED if waits else "the sample ended without a grade")
        return {"passed": None, "owner": owner_of_error(error), "error": error}
    score_metadata = sample.score.get("metadata") or {}
    result: dict[str, Any] = {
        "runs": Runs.model_validate(score_metadata["runs"]) if score_metadata.get("runs") else None,
        "checkpoints": _checkpoints(score_metadata.get("checkpoints") or []),
        "seconds_allowed": _finite(score_metadata.get("seconds_allowed")),
        "passed": grade.passed,
        "owner": owner_of_grade(grade),
        "caught_by": grade.caught_by.item if grade.caught_by else None,
        "verdicts": grade.verdicts,
        "notices": grade.notices,
        "score": _finite(grade.score),
        "standard_error": _finite(grade.standard_error),
        "normalised": _finite(grade.normalised),
        "grading_seconds": grade.seconds,
        "transcript": str(score_metadata.get("transcript") or ""),
        **_machine(score_metadata.get("machine") or {}),
        "error": sample.error,
        **_gpu(score_metadata.get("gpu"), grade.gpu),
    }
    if grade.submission:
        result["submission"] = grade.submission
    if sample.limit is None and score_metadata.get("limit"):
        result["limit"] = str(score_metadata["limit"])
    return result


def _machine(record: dict[str, Any]) -> dict[str, Any]:
    """What the log says of the machine that made the attempt."""
    names = {key: str(record[key]) for key in _OF_MACHINE if record.get(key)}
    return {"machine": names, "load": record.get("load")}


def _gpu(attempt: dict[str, Any] | None, grading: dict[str, Any] | None) -> dict[str, Any]:
    """What attempt and grading used of GPUs, as the log says it."""
    peaks = [use["peak_mb"] for use in (attempt, grading) if use and use["peak_mb"] is not None]
    return {
        "gpu_hours": attempt["hours"] if attempt and attempt["gpus"] else None,
        "grading_gpu_hours": grading["hours"] if grading and grading["gpus"] else None,
        "gpu_peak_mb": max(peaks, default=None),
    }


def _spent(sample: LoggedSample) -> dict[str, Any]:
    """What the agent spent: a judge's tokens are among the model's, and counted under its role too."""
    usages = sample.model_usage.values()
    judge = sample.role_usage.get(ROLE) or {}
    judge_cost = judge.get("total_cost")
    costs = [usage["total_cost"] for usage in usages if usage.get("total_cost") is not None]
    unpriced = sum(_tokens(usage) for usage in usages if usage.get("total_cost") is None)
    if judge and judge_cost is None:
        unpriced -= _tokens(judge)
    if judge_cost is not None:
        costs = [] if costs == [judge_cost] else [*costs, -judge_cost]
    return {
        "tokens": sum(map(_tokens, usages)) - _tokens(judge),
        "output_tokens": sum(usage.get("output_tokens", 0) for usage in usages)
        - judge.get("output_tokens", 0),
        # A sum without one of its models, such as a planner of unknown price, would be too low.
        "cost": math.fsum(costs) if costs and unpriced <= 0 else None,
    }


def _with_earlier_parts(sample: LoggedSample, fields: dict[str, Any]) -> dict[str, Any]:
    """Add what an attempt had used before an interruption: the log of its last part does not count that."""
    earlier = (sample.score.get("metadata") or {}).get("earlier") or {}
    if not earlier.get("seconds"):
        return fields
    counted = {
        name: fields[name] + earlier[name]
        for name in ("seconds", "tokens", "cost")
        if fields[name] is not None
    }
    return fields | counted


def _tokens(usage: dict[str, Any]) -> int:
    return int(usage.get("total_tokens", 0))


def _checkpoints(entries: list[dict[str, Any]]) -> list[Checkpoint]:
    numbers = ("score", "normalised", "standard_error")
    plain = [entry | {name: _finite(entry.get(name)) for name in numbers} for entry in entries]
    return sorted(map(Checkpoint.model_validate, plain), key=lambda entry: entry.seconds)


def _finite(value: float | None) -> float | None:
    try:
        return value if value is not None and math.isfinite(value) else None
    except OverflowError:  # an integer that no float can hold
        return None


def _text(prompt: Any) -> str:
    """The instruction: a text, or the texts of several messages."""
    if isinstance(prompt, str):
        # All attempts at a task share one text in memory.
        return sys.intern(prompt)
    return "\n\n".join(_message_text(message.get("content")) for message in prompt)


def _message_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [] if part.get("type") == "text")


def _possible(seconds: float | None) -> float | None:
    """A duration, None for what no clock says: a log may be damaged, and a clock may be set back."""
    return seconds if seconds is not None and 0 <= seconds < math.inf else None
