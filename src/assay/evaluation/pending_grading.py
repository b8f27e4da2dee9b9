"""Grades what an earlier run left in the folder `pending`, so that none of these attempts is made again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.benchmarks import Suite
from assay.errors import GradingError, UsageError
from assay.evaluation.ledger import Ledger
from assay.evaluation.pending import PendingAttempt, read_pending
from assay.evaluation.pending_folder import PENDING, pending_files, pending_name
from assay.evaluation.resume import finished_attempts, waiting_attempts
from assay.evaluation.running import Plan, PlannedAttempt, Settings, attempt_keys
from assay.evaluation.second_pass import grade_attempts
from assay.evaluation.taking import TakenAttempt, to_be_graded
from assay.files import is_remote, place
from assay.workspace import SUBMISSIONS, TRANSCRIPTS, UNGRADED, CommandTranscript, Submission

if TYPE_CHECKING:
    from inspect_ai.event import Event
    from inspect_ai.scorer import Score

    from assay.agents.request_rate import RateAccount
    from assay.agents.run_cost_cap import Purse


def check_pending(planned: Plan, settings: Settings) -> tuple[list[PendingAttempt], list[PendingAttempt]]:
    """The attempts of this plan that wait for their grade, and those of others; what is graded is removed.

    UsageError where a file is not as Assay wrote it, or has an attempt at a task that has changed since.
    """
    logs = place(settings.logs)
    graded_keys = finished_attempts(logs) | waiting_attempts(logs).keys()
    keys = set(attempt_keys(planned.suite, settings, planned.attempts).values())
    waiting, foreign = [], []
    for path in pending_files(logs):
        pending = read_pending(path)
        if pending.key in graded_keys:
            path.unlink(missing_ok=True)
        elif pending.key in keys:
            _check_archives(pending, logs)
            waiting.append(pending)
        elif any(key._replace(digest=pending.key.digest) == pending.key for key in keys):
            raise UsageError(
                f"{path} was handed in at another state of the task {pending.key.task!r}: "
                "the task has changed since",
                hint="give the run the task as it was, and the attempt is graded; "
                "or remove the file, and an attempt at the new state of the task is made",
            )
        else:
            foreign.append(pending)
    return waiting, foreign


def _check_archives(pending: PendingAttempt, logs: Path) -> None:
    """Refuse an attempt whose submission or record of commands is missing or was changed."""
    try:
        Submission.load(logs / SUBMISSIONS, pending.taken_attempt.submission)
        if pending.taken_attempt.transcript:
            CommandTranscript.load(logs / TRANSCRIPTS, pending.taken_attempt.transcript)
    except GradingError as error:
        raise UsageError(
            f"{pending.path} cannot be graded: {error.message}",
            hint=f"put back the file; or remove {pending.path}, and the attempt is made again",
        ) from None


def grade_pending(
    suite: Suite,
    settings: Settings,
    attempts: Sequence[PlannedAttempt],
    *,
    purse: Purse | None = None,
    rate: RateAccount | None = None,
    one_at_a_time: bool = False,
) -> list[PlannedAttempt]:
    """Grade those of the attempts that were handed in before, and return the others."""
    logs = place(settings.logs)
    names = {path.name for path in pending_files(logs)}
    if not names:
        return list(attempts)
    keys = attempt_keys(suite, settings, attempts)
    pending = {
        attempt: logs / PENDING / name
        for attempt in attempts
        if (name := pending_name(keys[attempt])) in names
    }
    if settings.stage == "attempt":
        for path in pending.values():
            HandedInAttempt(path).leave_to_second_pass()
    elif pending:
        ungraded = {attempt: partial(HandedInAttempt, path) for attempt, path in pending.items()}
        grade_attempts(suite, settings, ungraded, purse=purse, rate=rate, one_at_a_time=one_at_a_time)
    return [attempt for attempt in attempts if attempt not in pending]


class HandedInAttempt:
    """An attempt of the folder `pending`, which gets a log of its own."""

    def __init__(self, path: Path) -> None:
        self._pending = read_pending(path)

    @property
    def taken(self) -> TakenAttempt:
        """What was taken out of its sandbox."""
        return self._pending.taken_attempt

    @property
    def model_usage(self) -> list[dict[str, Any]]:
        """What each of its models used."""
        return [usage.model_dump() for usage in self._pending.sample.model_usage.values()]

    def events(self) -> Sequence[Event]:
        """What it did."""
        from inspect_ai.log import resolve_sample_attachments

        return resolve_sample_attachments(self._pending.sample, "full").events

    def store_grade(self, score: Score) -> None:
        """Write a log of the attempt with its grade."""
        self._write_log(score, self._logs)

    def leave_to_second_pass(self) -> None:
        """Write a log of the attempt that says that its grade is still to come."""
        self._write_log(to_be_graded(self.taken), self._logs / UNGRADED)

    @property
    def _logs(self) -> Path:
        return self._pending.path.parent.parent

    def _write_log(self, score: Score, folder: Path) -> None:
        """Write the log, and then remove what kept the attempt."""
        from inspect_ai.log import EvalLog, write_eval_log

        pending = self._pending
        sample = pending.sample.model_copy(update={"scores": {"assay": score}})
        dataset = pending.spec.dataset.model_copy(update={"sample_ids": [sample.id], "samples": 1})
        spec = pending.spec.model_copy(update={"dataset": dataset})
        if not is_remote(folder):
            folder.mkdir(exist_ok=True)
        path = folder / f"{Path(pending.log).stem.rpartition('_')[0]}_{sample.uuid}.eval"
        write_eval_log(EvalLog(status="success", eval=spec, samples=[sample]), str(path))
        key = pending.key
        Ledger.at(self._logs, (key.agent, key.model, key.task, key.digest, key.number)).forget()
        pending.path.unlink(missing_ok=True)
