"""Attempts that are handed in and not graded yet, as files: a run that is killed gives no agent a second try.

Before an attempt is graded, all that its log and its grading need is written into the folder `pending`
beside the logs. Once the grade is in the log, the file is removed. A run that finds such a file grades the
attempt and does not make it again.

A file has a line with the SHA-256 of the rest, and the rest is JSON. Its name is a hash of what makes the
attempt the same attempt. So a file that was damaged, renamed or edited is refused.

What it does not cover: an attempt that is killed before its workspace was collected, and attempts of a plain
`inspect eval`, which nobody resumes.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.agents.encodable import make_encodable
from assay.errors import DiskFull, UsageError
from assay.evaluation.pending_folder import PENDING, pending_name
from assay.evaluation.resume import AttemptKey, logged_key
from assay.evaluation.taking import TakenAttempt
from assay.files import flush_to_disk, is_remote, place, publish
from assay.grading.verdict import Notice
from assay.inspect_private import sample_active, sample_so_far
from assay.run_context import run_context
from assay.scoring.logs.log_file import read_json

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample, EvalSpec
    from inspect_ai.solver import TaskState

AFTER_RESTART = Notice(
    flag="restart", evidence="the run ended after this was handed in and before it was graded; graded later"
)
MOST_PLAIN_EVENTS = 50
"""Events that are written as they are; of more events, a text that occurs twice is written once."""
_ADVICE = "remove the file, and the attempt is made again; or put back the file as Assay wrote it"


class RunSpecs(dict[str, "EvalSpec"]):
    """Inspect's identifier of each evaluation → what its log says about all of its attempts."""


class PendingFiles(dict[str, tuple[Path, Path]]):
    """Inspect's identifier of each sample that is being graded → its file, and its log."""


@dataclass(frozen=True)
class PendingAttempt:
    """One attempt that is handed in and not graded yet."""

    path: Path
    key: AttemptKey
    log: str
    """The name of the log that the attempt was to be in."""
    spec: EvalSpec
    sample: EvalSample
    """As the log has it, without a grade."""
    taken_attempt: TakenAttempt


async def keep_until_graded(state: TaskState, taken_attempt: TakenAttempt, logs: Path) -> TakenAttempt:
    """Write the file of an attempt that is about to be graded.

    An attempt whose file cannot be written is graded all the same; a notice names the cause.
    """
    active = sample_active()
    spec = run_context().part(RunSpecs).get(active.eval_id) if active is not None else None
    if active is None or spec is None:
        return taken_attempt
    log = place(active.log_location)
    try:
        path = await asyncio.to_thread(_write, state, taken_attempt, spec, log.name, logs / PENDING)
    except Exception as error:
        cause = error.message if isinstance(error, DiskFull) else f"{type(error).__name__}: {error}"[:300]
        evidence = f"not kept before grading, so a kill of the run would have lost it: {cause}"
        print(f"warning: {state.sample_id}: {evidence}", file=sys.stderr, flush=True)
        notice = Notice(flag="restart", evidence=evidence)
        return replace(taken_attempt, notices=[*taken_attempt.notices, notice.model_dump()])
    run_context().part(PendingFiles)[state.uuid] = (path, log)
    return taken_attempt


def forget_graded(sample: EvalSample) -> None:
    """Remove the file of an attempt whose grade is in the log."""
    path, log = run_context().part(PendingFiles).pop(sample.uuid or "", (None, None))
    if path is None or log is None or sample.error is not None or "assay" not in (sample.scores or {}):
        return
    if not is_remote(log):
        flush_to_disk(log)
        flush_to_disk(log.parent)
    path.unlink(missing_ok=True)


def _write(state: TaskState, taken_attempt: TakenAttempt, spec: EvalSpec, log: str, folder: Path) -> Path:
    """Write the file of an attempt and wait until it is on the disk."""
    from inspect_ai.log import condense_sample
    from pydantic_core import PydanticSerializationError, to_json

    sample = sample_so_far(state)
    if len(sample.events) > MOST_PLAIN_EVENTS:
        sample = condense_sample(sample)
    fields: dict[str, Any] = {"log": log, "spec": spec, "sample": sample, "taken": asdict(taken_attempt)}
    try:
        text = to_json(fields, exclude_none=True, fallback=lambda _: None)
    except PydanticSerializationError:
        text = to_json(make_encodable(fields), exclude_none=True, fallback=lambda _: None)
    path = folder / pending_name(_key_of(spec, sample))
    with DiskFull.named(folder):
        publish(path, hashlib.sha256(text).hexdigest().encode() + b"\n" + text, private=True, durable=True)
        if not is_remote(folder):
            flush_to_disk(folder)
    return path


def _key_of(spec: EvalSpec, sample: EvalSample) -> AttemptKey:
    run, task = (spec.metadata or {})["assay"], sample.metadata["assay"]
    return logged_key(run, spec.model, str(sample.id), sample.epoch, task)


def read_pending(path: Path) -> PendingAttempt:
    """Read the file of an attempt; UsageError, which names the file, where it is not as Assay wrote it."""
    from inspect_ai.log import EvalSample, EvalSpec, condense_sample

    try:
        checksum, _, text = path.read_bytes().partition(b"\n")
        if hashlib.sha256(text).hexdigest().encode() != checksum:
            raise ValueError("its contents do not match the checksum in its first line")
        fields = read_json(text)
        spec = EvalSpec.model_validate(fields["spec"])
        sample = condense_sample(EvalSample.model_validate(fields["sample"]))
        taken_attempt = TakenAttempt(**fields["taken"])
        key = _key_of(spec, sample)
        if path.name != pending_name(key):
            raise ValueError(f"its name should be {pending_name(key)}")
    except Exception as error:
        cause = error if type(error) is ValueError else f"{type(error).__name__}: {error}"
        raise UsageError(
            f"{path} is not an attempt that waits for its grade: {' '.join(str(cause).split())[:300]}",
            hint=_ADVICE,
        ) from None
    taken_attempt = replace(taken_attempt, notices=[*taken_attempt.notices, AFTER_RESTART.model_dump()])
    return PendingAttempt(path, key, str(fields["log"]), spec, sample, taken_attempt)
