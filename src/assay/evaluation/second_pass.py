"""Grading as a pass of its own: what attempts left is graded later, and perhaps on other machines.

Attempts of the first pass are in logs in the folder `ungraded` beside the other logs. Each grade is a file
there until all attempts of its log have one. Then the log, with its grades, moves to the other logs. So the
pass can end at any moment and go on from there, and no grade is made twice.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assay.agents import find_agent
from assay.benchmarks import Suite
from assay.evaluation.events import Finished, Started
from assay.evaluation.resume import GRADES, WaitingAttempt, finished_attempts, log_files, waiting_attempts
from assay.evaluation.running import PlannedAttempt, Settings, attempt_keys
from assay.files import is_remote, place, publish
from assay.grading.kept_results import KeptResults
from assay.run_context import new_run, run_context
from assay.workspace import SUBMISSIONS, TRANSCRIPTS, UNGRADED, CommandTranscript, Submission

if TYPE_CHECKING:
    from inspect_ai.event import Event
    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Score

    from assay.agents.request_rate import RateAccount
    from assay.agents.run_cost_cap import Purse
    from assay.evaluation.taking import TakenAttempt
    from assay.grading import Transcript
    from assay.tasks import Task


class UngradedAttempt(Protocol):
    """An attempt that was made and has no grade yet."""

    @property
    def taken(self) -> TakenAttempt:
        """What was taken out of its sandbox."""
        ...

    @property
    def model_usage(self) -> list[dict[str, Any]]:
        """What each of its models used, as a log has it."""
        ...

    def events(self) -> Sequence[Event]:
        """What it did, for sandboxes that have no record of commands."""
        ...

    def store_grade(self, score: Score) -> None:
        """Write the grade to where the run finds it."""
        ...


def grade_waiting(
    suite: Suite,
    settings: Settings,
    attempts: Sequence[PlannedAttempt],
    *,
    purse: Purse | None = None,
    rate: RateAccount | None = None,
    one_at_a_time: bool = False,
) -> None:
    """Grade attempts of the first pass."""
    waiting = waiting_attempts(place(settings.logs))
    keys = attempt_keys(suite, settings, attempts)
    ungraded = {
        attempt: partial(LoggedAttempt, waiting[keys[attempt]])
        for attempt in attempts
        if keys[attempt] in waiting
    }
    grade_attempts(suite, settings, ungraded, purse=purse, rate=rate, one_at_a_time=one_at_a_time)


def grade_attempts(
    suite: Suite,
    settings: Settings,
    attempts: Mapping[PlannedAttempt, Callable[[], UngradedAttempt]],
    *,
    purse: Purse | None = None,
    rate: RateAccount | None = None,
    one_at_a_time: bool = False,
) -> None:
    """Grade attempts that were made before, as many at once as there are cores; each is read in its turn."""
    from assay.agents.request_rate import RateLimits, RequestRate
    from assay.agents.run_cost_cap import Purse
    from assay.agents.service_watch import ServiceWatch
    from assay.evaluation.progress import Listeners
    from assay.evaluation.turns import own_cores

    tasks = {task.id: task for task in suite.tasks}
    limits = RateLimits(settings.requests_per_minute, settings.tokens_per_minute)
    listeners = run_context().part(Listeners)

    async def grade_all() -> None:
        room = asyncio.Semaphore(1 if one_at_a_time else own_cores())

        async def grade_one(attempt: PlannedAttempt, read: Callable[[], UngradedAttempt]) -> None:
            async with room:
                agent = find_agent(attempt.agent).name
                for _, begin, _ in listeners:
                    if begin is not None:
                        begin(Started(agent=agent, task=attempt.task))
                finished = await _grade(tasks[attempt.task], agent, read, settings)
                for listener, _, _ in listeners:
                    listener(finished)

        await asyncio.gather(*(grade_one(attempt, read) for attempt, read in attempts.items()))

    builds = KeptResults(Path(settings.kept_results) if settings.kept_results else None)
    with new_run(purse or Purse(settings.max_cost), ServiceWatch(), RequestRate(limits, rate), builds):
        asyncio.run(grade_all())


async def _grade(task: Task, agent: str, read: Callable[[], UngradedAttempt], settings: Settings) -> Finished:
    """Grade one attempt and store its grade; what prevents that leaves the attempt waiting."""
    from assay.agents.encodable import make_encodable
    from assay.evaluation.scorer import ORACLE, grade_taken
    from assay.grading import Grade
    from assay.grading.kept_results import always_built
    from assay.scoring.logs.failure_owner import owner_of_error, owner_of_grade

    clock = asyncio.get_running_loop().time
    began = clock()
    logs = place(settings.logs)
    try:
        attempt = await asyncio.to_thread(read)
        submission = Submission.load(logs / SUBMISSIONS, attempt.taken.submission)
        commands = _commands(attempt, logs)
        with always_built() if agent == ORACLE else nullcontext():
            score = await grade_taken(
                task, attempt.taken, submission, commands, settings.rules, logs / SUBMISSIONS
            )
        await asyncio.to_thread(attempt.store_grade, make_encodable(score))
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        owner = owner_of_error(message)
        return Finished(agent, task.id, None, message, clock() - began, owner=owner)
    grade = Grade.model_validate((score.metadata or {})["grade"])
    usage = attempt.model_usage
    costs = [entry["total_cost"] for entry in usage if entry.get("total_cost") is not None]
    return Finished(
        agent=agent,
        task=task.id,
        passed=grade.passed,
        error=None,
        seconds=clock() - began,
        tokens=sum(entry.get("total_tokens", 0) for entry in usage),
        cost=sum(costs) if costs else None,
        owner=owner_of_grade(grade),
    )


class LoggedAttempt:
    """An attempt of the first pass, read from its log."""

    def __init__(self, waiting: WaitingAttempt) -> None:
        from assay.evaluation.taking import TakenAttempt

        fields = _sample_fields(waiting)
        self._waiting = waiting
        self.taken = TakenAttempt(**fields["scores"]["assay"]["metadata"]["taken"])
        self.model_usage: list[dict[str, Any]] = list((fields.get("model_usage") or {}).values())

    def events(self) -> Sequence[Event]:
        """What it did."""
        from inspect_ai.log import read_eval_log_sample

        return read_eval_log_sample(
            str(self._waiting.log), uuid=self._waiting.sample, resolve_attachments=True
        ).events

    def store_grade(self, score: Score) -> None:
        """Write the grade into a file beside the log."""
        if not is_remote(self._waiting.grade):
            self._waiting.grade.parent.mkdir(exist_ok=True)
        publish(self._waiting.grade, score.model_dump_json())


def _sample_fields(waiting: WaitingAttempt) -> dict[str, Any]:
    """The sample as the log has it."""
    from assay.scoring.logs.log_file import SAMPLES, open_log

    with open_log(waiting.log) as archive:
        for name in dict.fromkeys(archive.namelist()):
            if name.startswith(SAMPLES) and waiting.sample.encode() in (text := archive.read(name)):
                fields = json.loads(text)
                if fields.get("uuid") == waiting.sample:
                    return dict(fields)
    raise ValueError(f"{waiting.log} has no sample {waiting.sample}")


def _commands(attempt: UngradedAttempt, logs: Path) -> Transcript:
    """What the agent ran: from the archived record, or from the events of its log."""
    from assay.evaluation.scorer import transcript_from, transcript_of
    from assay.sandbox.monitor.observations import observations_from

    observations = observations_from(attempt.taken.watched)
    if attempt.taken.transcript:
        record = CommandTranscript.load(logs / TRANSCRIPTS, attempt.taken.transcript)
        return transcript_from(record, observations)
    return transcript_of(attempt.events(), observations)


def publish_grades(logs: Path) -> None:
    """Write each log of the first pass with the grades that there are; remove it where none is missing."""
    from inspect_ai.log import read_eval_log, write_eval_log

    folder = logs / UNGRADED
    if not folder.is_dir():
        return
    graded_before = finished_attempts(logs)
    waiting = waiting_attempts(logs)
    missing = {
        attempt.log
        for key, attempt in waiting.items()
        if key not in graded_before and not attempt.grade.is_file()
    }
    for path in log_files(folder):
        grades = {
            attempt.sample: attempt.grade
            for attempt in waiting.values()
            if attempt.log == path and attempt.grade.is_file()
        }
        if grades:
            log = read_eval_log(str(path))
            log.samples = [
                _with_grade(sample, grades) for sample in log.samples or [] if _is_kept(sample, grades)
            ]
            write_eval_log(log, str(logs / path.name))
        if path not in missing:
            path.unlink()
            for grade in grades.values():
                grade.unlink()
    _remove_empty(folder)


def _is_kept(sample: EvalSample, grades: Mapping[str, Path]) -> bool:
    """Whether a sample has a grade now, or never gets one because it failed."""
    return sample.uuid in grades or "assay" not in (sample.scores or {})


def _with_grade(sample: EvalSample, grades: Mapping[str, Path]) -> EvalSample:
    if sample.uuid is not None and sample.uuid in grades:
        sample.scores = {**(sample.scores or {}), "assay": _score(grades[sample.uuid])}
    return sample


def _score(path: Path) -> Score:
    from inspect_ai.scorer import Score

    return Score.model_validate_json(path.read_text())


def _remove_empty(folder: Path) -> None:
    for empty in (folder / GRADES, folder):
        if not is_remote(empty) and empty.is_dir() and not any(empty.iterdir()):
            empty.rmdir()
