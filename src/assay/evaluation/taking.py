"""Taking out of an attempt's sandbox what was done and left; what an agent does against it is its failure.

A sandbox that failed makes no attempt, and the attempt is made again. So that no agent gets another try by
breaking its sandbox, two cases count as a submission of nothing: the sandbox ended for want of memory, or
nothing can be taken out of it while a fresh sandbox of the same task gives up its files.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.util import SandboxEnvironment, sandbox

from assay.sandbox import Box, Watched
from assay.sandbox.layout import python_folders
from assay.sandbox.provider import BwrapSandboxEnvironment
from assay.tasks import Task
from assay.workspace import WORKSPACE, Submission, collect, files_asked_for


async def take_submission(task: Task) -> Submission:
    """What the attempt left in its sandbox."""
    mine = sandbox()
    try:
        return await collect(mine, task.workspace, first=files_asked_for(task), shown=_shown(mine))
    except Exception as error:
        if not await _is_agents_doing(mine, task):
            raise
        return Submission(refused={WORKSPACE: f"nothing could be taken out of the sandbox: {error}"})


def _shown(mine: SandboxEnvironment) -> list[str]:
    """Folders that the sandbox shows and that hold nothing to hide: links to them are honest."""
    try:
        confinement = mine.as_type(BwrapSandboxEnvironment).box.confinement
    except TypeError:
        return []
    mounts = [mount.target for mount in confinement.mounts if not mount.canary]
    pythons = python_folders(confinement.environment)
    return [*mounts, *pythons]


def release_gpus() -> dict[str, Any] | None:
    """Give the attempt's GPUs back, since grading takes its own; what was used of them, None without any."""
    try:
        return sandbox().as_type(BwrapSandboxEnvironment).release_gpus()
    except TypeError:
        return None


async def look_back() -> Watched:
    """What was seen of the attempt from outside its sandbox."""
    try:
        return await sandbox().as_type(BwrapSandboxEnvironment).box.watched()
    except TypeError:
        return Watched(why="this kind of sandbox is not watched")


async def _is_agents_doing(mine: SandboxEnvironment, task: Task) -> bool:
    try:
        box = mine.as_type(BwrapSandboxEnvironment).box
    except TypeError:
        return False
    if await box.ended():
        return await box.starved()
    return await _control_gives(box, task)


async def _control_gives(box: Box, task: Task) -> bool:
    """Whether a fresh sandbox like this one can be emptied."""
    try:
        async with Box(box.confinement) as control:
            await collect(BwrapSandboxEnvironment(control), task.workspace, first=files_asked_for(task))
    except Exception:
        return False
    return True
