"""Runs and attempts that were stopped before their end, reported only until a later log finishes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from assay.grading.grading_rules import title_of_log
from assay.scoring.logs.attempts import Attempt
from assay.scoring.logs.findings import Finding
from assay.scoring.logs.log_file import LogHeader

AttemptId = tuple[str, str, str, str, int]
"""Suite, agent, model, task and number: what makes two samples the same attempt."""


@dataclass(frozen=True)
class StoppedAttempt:
    """An attempt that was interrupted: it has no grade and is not counted."""

    log: str
    key: AttemptId


@dataclass(frozen=True)
class StoppedRun:
    """A log whose run did not end by itself."""

    log: str
    status: str
    suite: str
    agent: str
    model: str
    tasks: tuple[str, ...]
    epochs: int

    @classmethod
    def of(cls, header: LogHeader, place: str) -> StoppedRun:
        """What a log says that its run was to make."""
        return cls(
            log=place,
            status=header.status,
            suite=title_of_log(header.metadata),
            agent=str(header.metadata["agent"]),
            model=str(header.metadata.get("model") or "none"),
            tasks=header.tasks,
            epochs=header.epochs,
        )


@dataclass
class Unfinished:
    """Everything that was stopped in a set of logs."""

    runs: list[StoppedRun] = field(default_factory=list)
    attempts: list[StoppedAttempt] = field(default_factory=list)

    def findings(self, counted: Iterable[Attempt]) -> Iterator[Finding]:
        """A note for each stopped run and attempt that no log of the set finishes."""
        graded = [attempt for attempt in counted if attempt.error is None or attempt.verdicts]
        finished_counts = Counter(
            (attempt.suite, attempt.agent, attempt.model, attempt.task) for attempt in graded
        )
        in_log = Counter(attempt.log for attempt in graded)
        keys = {attempt.key for attempt in graded}
        for run in self.runs:
            if in_log[run.log] < len(run.tasks) * run.epochs and _is_finished(run, finished_counts):
                continue
            message = (
                f"the run did not end ({run.status}); its {in_log[run.log]} finished attempts are counted"
            )
            yield Finding(log=run.log, what=message)
        for stopped in self.attempts:
            if stopped.key not in keys:
                task, number = stopped.key[3:]
                message = f"{task} (attempt {number}) was interrupted: not counted, run again to finish it"
                yield Finding(log=stopped.log, what=message)


def _is_finished(run: StoppedRun, finished_counts: Mapping[tuple[str, str, str, str], int]) -> bool:
    """Whether other logs hold the attempts that this run did not come to."""
    return all(finished_counts[run.suite, run.agent, run.model, task] >= run.epochs for task in run.tasks)
