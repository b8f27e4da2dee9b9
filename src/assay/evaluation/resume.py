"""What is already done: read from the logs themselves, so that nothing finished is lost or repeated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assay.errors import AssayError
from assay.files import is_remote
from assay.grading.grading_rules import GradingRules, rules_of_log


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


def finished_attempts(logs: Path) -> set[AttemptKey]:
    """Every attempt that was graded, in whatever log of the folder it stands."""
    return {key for path in log_files(logs) for key in _graded(path)}


def log_files(logs: Path) -> list[Path]:
    """The logs of a folder, oldest first; or the one log that was named."""
    if logs.is_file():
        return [logs]
    return sorted(logs.glob("*.eval"))


def _graded(path: Path) -> Iterator[AttemptKey]:
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

    try:
        header = read_eval_log(str(path), header_only=True)
        summaries = read_eval_log_sample_summaries(str(path))
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
    run = (header.eval.metadata or {}).get("assay")
    if not isinstance(run, dict):
        return
    suite, rules = rules_of_log(run)
    for summary in summaries:
        metadata = summary.metadata.get("assay")
        if (
            summary.error is not None
            or "assay" not in (summary.scores or {})
            or not isinstance(metadata, dict)
        ):
            continue
        number = metadata["attempts"][summary.epoch - 1]
        digest = str(metadata.get("digest", ""))
        yield AttemptKey(suite, rules, run["agent"], header.eval.model, str(summary.id), digest, number)
