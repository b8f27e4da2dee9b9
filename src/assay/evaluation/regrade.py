"""Grading an old run again: archived submissions, today's graders, no agent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.benchmarks import Suite, load_suite
from assay.errors import UsageError
from assay.evaluation.resume import log_files
from assay.evaluation.scorer import as_score, transcript_from, transcript_of
from assay.files import is_remote
from assay.grading import Grade, GradingRules, Tolerance, Transcript, consult, grade
from assay.grading.grading_rules import rules_of_log
from assay.grading.judge import JUDGED
from assay.tasks import Task
from assay.workspace import SUBMISSIONS, TRANSCRIPTS, CommandTranscript, Submission

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Score

NO_JUDGE = "none"


@dataclass(frozen=True)
class Regraded:
    """One attempt, as it was graded then and now."""

    log: str
    agent: str
    task: str
    number: int
    before: bool | None
    after: bool | None
    grade: Grade


def regrade(
    logs: Path,
    out: Path,
    *,
    tasks: tuple[str, ...] = (),
    agents: tuple[str, ...] = (),
    tolerance: Tolerance | None = None,
    judge_model: str | None = None,
    judge_repeats: int | None = None,
) -> list[Regraded]:
    """Grade every archived submission again and write the logs, with the new grades, into another folder.

    Without a tolerance or a judge each log keeps its own; the judge `none` leaves unknown what must be read.
    """
    paths = [path for path in log_files(logs) if path.suffix == ".eval"]
    if not paths:
        raise UsageError(f"{logs} has no log", hint="name a folder that `assay run` wrote, or one .eval file")
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty, expected a new folder for the new grades", hint="give --out")
    changes = RuleChanges(tolerance, judge_model, judge_repeats)
    rows = [row for path in paths for row in asyncio.run(_regrade(path, out, tasks, agents, changes))]
    if not rows and (tasks or agents):
        raise UsageError(
            f"{logs} has no graded attempt of {', '.join((*tasks, *agents))}",
            hint="`assay report` lists the tasks and agents of the logs",
        )
    # Names of logs begin with the second of their start, so their order says nothing about the attempts.
    return sorted(rows, key=lambda row: (row.agent, row.task, row.number))


@dataclass(frozen=True)
class RuleChanges:
    """How to grade again; None keeps what a log itself says."""

    tolerance: Tolerance | None = None
    judge_model: str | None = None
    judge_repeats: int | None = None

    def apply(self, run: dict[str, Any]) -> GradingRules:
        """The rules for one log, which then names them itself."""
        suite, old = rules_of_log(run)
        model = old.judge_model if self.judge_model is None else self.judge_model
        rules = GradingRules(
            self.tolerance or old.tolerance,
            None if model == NO_JUDGE else model,
            self.judge_repeats or old.judge_repeats,
        )
        for key in ("tolerance", "judge"):
            run.pop(key, None)
        run |= {"suite": suite, "rules": rules.as_log()}
        return rules


async def _regrade(
    path: Path, out: Path, tasks: tuple[str, ...], agents: tuple[str, ...], changes: RuleChanges
) -> list[Regraded]:
    from inspect_ai.log import read_eval_log, write_eval_log

    try:
        log = read_eval_log(str(path))
    except Exception as error:
        raise UsageError(
            f"{path} cannot be read as an Inspect log: {error}",
            hint="remove it from the folder, or name one log that can be read",
        ) from error
    run = (log.eval.metadata or {}).get("assay", {})
    if not run or (agents and run["agent"] not in agents):
        return []
    rules = changes.apply(run)
    judge = rules.judge()
    tasks_by_id = _tasks(run["source"])
    rows = []
    samples = [
        sample
        for sample in log.samples or []
        if "assay" in (sample.scores or {}) and (not tasks or sample.id in tasks)
    ]
    for sample in samples:
        assert sample.scores is not None
        old = sample.scores["assay"]
        before = Grade.model_validate((old.metadata or {})["grade"])
        submission = Submission.load(path.parent / SUBMISSIONS, before.submission)
        task = _find(tasks_by_id, str(sample.id), run["suite"])
        after = await grade(task, submission, rules=rules)
        kept_notices = [notice for notice in before.notices if notice.flag not in JUDGED]
        after = after.model_copy(update={"notices": kept_notices})
        if judge is not None:
            after = await consult(judge, task, submission, after, _transcript(path, sample, old))
        notes = {key: value for key, value in (old.metadata or {}).items() if key != "grade"}
        sample.scores["assay"] = as_score(after, notes)
        number = sample.metadata["assay"]["attempts"][sample.epoch - 1]
        rows.append(
            Regraded(path.name, run["agent"], str(sample.id), number, before.passed, after.passed, after)
        )
        submission.store(out / SUBMISSIONS)
        if (record := _record(path, old)) is not None:
            record.store(out / TRANSCRIPTS)
    if rows:
        log.samples = samples
        if not is_remote(out):
            out.mkdir(parents=True, exist_ok=True)
        write_eval_log(log, str(out / path.name))
    return rows


def _record(log: Path, score: Score) -> CommandTranscript | None:
    """The whole record that lies beside a log; None for logs from before there was one."""
    digest = (score.metadata or {}).get("transcript")
    return CommandTranscript.load(log.parent / TRANSCRIPTS, digest) if digest else None


def _transcript(log: Path, sample: EvalSample, score: Score) -> Transcript:
    record = _record(log, score)
    return transcript_of(sample.events) if record is None else transcript_from(record)


def _tasks(suite: str) -> Mapping[str, Task]:
    loaded: Suite = load_suite(suite)
    return {task.id: task for task in loaded.tasks}


def _find(tasks_by_id: Mapping[str, Task], task: str, suite: str) -> Task:
    if task not in tasks_by_id:
        raise UsageError(f"suite {suite!r} no longer has the task {task!r}, so it cannot be graded again")
    return tasks_by_id[task]
