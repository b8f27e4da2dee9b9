"""What is already done: read from the logs themselves, so that nothing finished is lost or repeated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from assay.errors import AssayError
from assay.files import is_remote
from assay.grading.grading_rules import GradingRules, rules_of_log
from assay.scoring.logs.log_file import open_log, read_header, read_summaries
from assay.workspace import UNGRADED

GRADES = "grades"
"""The folder of grades, beside logs whose attempts another pass grades."""
Stage = Literal["whole", "attempt", "grading"]
"""What a run does: attempts with their grading, attempts alone, or the grading of attempts made before."""


class AttemptKey(NamedTuple):
    """What makes an attempt the same attempt."""

    suite: str
    rules: GradingRules
    agent: str
    model: str
    task: str
    digest: str
    """Of the task's contents: an attempt at what has changed since is another attempt."""
    number: int


@dataclass(frozen=True)
class WaitingAttempt:
    """An attempt that was made and is still to be graded."""

    log: Path
    sample: str
    """Inspect's identifier of the sample."""

    @property
    def grade(self) -> Path:
        """The file of its grade."""
        return self.log.parent / GRADES / f"{self.sample}.json"


def finished_attempts(logs: Path) -> set[AttemptKey]:
    """Every attempt that was graded, in whatever log of the folder it stands."""
    return {key for path in log_files(logs) for key, _ in scored_samples(path)}


def waiting_attempts(logs: Path) -> dict[AttemptKey, WaitingAttempt]:
    """Every attempt that was made to be graded by another pass, graded meanwhile or not."""
    folder = logs / UNGRADED
    return {
        key: WaitingAttempt(path, sample)
        for path in (log_files(folder) if folder.is_dir() else ())
        for key, sample in scored_samples(path)
    }


def settled_attempts(logs: Path, stage: Stage) -> set[AttemptKey]:
    """Every attempt for which a stage of a run has nothing left to do."""
    finished = finished_attempts(logs)
    if stage == "whole":
        return finished
    waiting = waiting_attempts(logs)
    if stage == "attempt":
        return finished | waiting.keys()
    return finished | {key for key, attempt in waiting.items() if attempt.grade.is_file()}


def log_files(logs: Path) -> list[Path]:
    """The logs of a folder, oldest first; or the one log that was named."""
    if logs.is_file():
        return [logs]
    return sorted(logs.glob("*.eval"))


def scored_samples(path: Path) -> Iterator[tuple[AttemptKey, str]]:
    """Each attempt of a log that came to its end, and Inspect's identifier of its sample."""
    try:
        with open_log(path) as archive:
            header = read_header(path, archive)
            summaries = read_summaries(path, archive)
    except OSError as error:
        # Nobody knows what is finished: an attempt that this log contains would be made again.
        raise AssayError(
            f"{path} cannot be read: {error}", hint="the same command again goes on where it stopped"
        ) from error
    except Exception as error:
        if is_remote(path):
            raise AssayError(
                f"{path} cannot be read: {error}", hint="check the service, or remove the log"
            ) from error
        # A log that was cut off before its first sample, or that is none: nothing in it is finished.
        return
    run = header.metadata
    if not {"suite", "agent"} <= run.keys():
        return
    for summary in summaries:
        metadata = summary.metadata.get("assay")
        if summary.is_graded and isinstance(metadata, dict):
            yield logged_key(run, header.model, summary.id, summary.epoch, metadata), summary.uuid


def logged_key(
    run: Mapping[str, Any], model: str, task: str, epoch: int, metadata: Mapping[str, Any]
) -> AttemptKey:
    """The key of an attempt, from what Assay wrote into a log about the run and about the sample."""
    number = metadata["attempts"][epoch - 1]
    return AttemptKey(*rules_of_log(run), run["agent"], model, task, str(metadata.get("digest", "")), number)
