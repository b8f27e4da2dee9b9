"""Taking out of an attempt's sandbox what was done and left; what an agent does against it is its own doing.

A sandbox that failed makes no attempt, and the attempt is made again. So that no agent gets another try by
ending or blocking its sandbox, a fresh sandbox of the same task decides: where that gives up its files, this
attempt counts as handed in as it was. The workspace is then read from outside, and where even that cannot be
done, nothing was handed in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from inspect_ai.scorer import Score
from inspect_ai.util import SandboxEnvironment, sandbox

from assay.grading.verdict import Notice
from assay.sandbox import Box, Observations
from assay.sandbox.bubblewrap.layout import python_folders
from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment
from assay.sandbox.session.left_workspace import restored_box
from assay.scoring.logs.sample_reading import TO_BE_GRADED
from assay.tasks import Task
from assay.workspace import (
    WORKSPACE,
    CommandTranscript,
    Submission,
    collect,
    redacted_transcript,
    requested_files,
)


@dataclass(frozen=True)
class TakenAttempt:
    """What was taken out of an attempt's sandbox, as JSON can have it: all that grading needs."""

    submission: str
    """SHA-256 of the archived submission."""
    transcript: str
    """SHA-256 of the archived record of commands; empty where none was made."""
    watched: dict[str, Any]
    """What was seen from outside the sandbox."""
    notices: list[dict[str, str]]
    """How it was taken, where that was unusual."""
    notes: dict[str, Any]
    """What the log says beside the grade."""
    found: dict[str, Any]
    """Checkpoints and candidates, which are graded too."""


async def take_submission(task: Task) -> Submission:
    """What the attempt left in its sandbox."""
    environment = sandbox()
    try:
        return await collect(
            environment, task.workspace, requested=requested_files(task), mounted=_shown(environment)
        )
    except Exception as error:
        box = _own_box(environment)
        if box is None or not await _control_gives(box, task):
            raise
        return await _take_remains(box, task, error)


async def _take_remains(box: Box, task: Task, error: Exception) -> Submission:
    """What lies in the workspace of a sandbox that serves no more."""
    try:
        async with restored_box(box) as fresh:
            return await collect(BwrapSandboxEnvironment(fresh), task.workspace)
    except Exception as again:
        why = f"nothing could be taken out of the sandbox: {error}; nor from outside: {again}"
        return Submission(refused={WORKSPACE: why})


def take_record(workspace: Mapping[str, bytes]) -> CommandTranscript | None:
    """Everything that the attempt ran and wrote, without credentials; None for other kinds of sandbox."""
    try:
        record = sandbox().as_type(BwrapSandboxEnvironment).record
    except TypeError:
        return None
    return redacted_transcript(record.end(), record.left_out_count, workspace) if record is not None else None


def how_it_was_taken() -> list[Notice]:
    """A notice where the sandbox had ended, or had to be ended, before anything was taken out of it."""
    box = _own_box(sandbox())
    if box is None or not box.has_left_workspace:
        return []
    return [
        Notice(flag="sandbox", evidence="the sandbox stopped serving; its workspace was read from outside")
    ]


def _shown(environment: SandboxEnvironment) -> list[str]:
    """Folders that the sandbox shows and that hold nothing to hide: links to them are honest."""
    try:
        confinement = environment.as_type(BwrapSandboxEnvironment).box.confinement
    except TypeError:
        return []
    mounts = [mount.target for mount in confinement.mounts if not mount.canary]
    pythons = python_folders(confinement.environment)
    return [*mounts, *pythons]


def ran_alone() -> bool:
    """Whether no other attempt runs on this machine."""
    try:
        return sandbox().as_type(BwrapSandboxEnvironment).runs_alone
    except TypeError:
        return False


def release_machine() -> dict[str, Any] | None:
    """Give cores and GPUs back, since grading takes its own; what was used of GPUs, None without any."""
    try:
        return sandbox().as_type(BwrapSandboxEnvironment).release_machine()
    except TypeError:
        return None


async def look_back() -> Observations:
    """What was seen of the attempt from outside its sandbox."""
    try:
        return await sandbox().as_type(BwrapSandboxEnvironment).box.observations()
    except TypeError:
        return Observations(why="this kind of sandbox is not watched")


def _own_box(environment: SandboxEnvironment) -> Box | None:
    try:
        return environment.as_type(BwrapSandboxEnvironment).box
    except TypeError:
        return None


async def _control_gives(box: Box, task: Task) -> bool:
    """Whether a fresh sandbox like this one can be emptied."""
    try:
        async with Box(box.confinement) as control:
            await collect(BwrapSandboxEnvironment(control), task.workspace, requested=requested_files(task))
    except Exception:
        return False
    return True


def to_be_graded(taken: TakenAttempt) -> Score:
    """The score of an attempt that another pass grades."""
    return Score(
        value={"passed": math.nan, "met": math.nan},
        answer=taken.submission[:12],
        explanation=TO_BE_GRADED,
        metadata={"taken": asdict(taken)},
    )
