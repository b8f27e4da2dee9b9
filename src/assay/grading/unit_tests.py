"""Unit tests as a run: fresh calls of the masked functions, with the solution and with a submission."""

from __future__ import annotations

import asyncio
import secrets
import shutil
from pathlib import Path
from weakref import WeakKeyDictionary

from assay.apart import apart
from assay.errors import DiskFull
from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.results import compare
from assay.grading.verdict import Verdict
from assay.own_loop import finish_in_thread
from assay.rules.fresh_calls import (
    ANSWERS,
    FOLDER,
    MOST_ANSWER_BYTES,
    FreshCalls,
    SandboxStep,
    choose,
    function_names,
    grade_fresh_calls,
    preparation,
    questions,
    unknown,
)
from assay.rules.running import SEEDS
from assay.run_context import run_context
from assay.sandbox import run_confined
from assay.tasks import DEFAULT, Task
from assay.tasks.files import write_tree
from assay.workspace import Submission


class PreparedCalls:
    """The fresh calls of tasks, drawn once in a process, so that the solution is not run each time."""

    def __init__(self) -> None:
        self._calls: dict[str, FreshCalls] = {}
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Lock]]
        self._locks = WeakKeyDictionary()

    async def of(self, task: Task) -> FreshCalls:
        """The fresh calls of a task, with the solution's answers."""
        locks = self._locks.setdefault(asyncio.get_running_loop(), {})
        async with locks.setdefault(task.digest, asyncio.Lock()):
            if task.digest not in self._calls:
                self._calls[task.digest] = await _prepared(task)
        return self._calls[task.digest]


async def grade_unit_tests(room: CleanRoom) -> list[Verdict]:
    """Whether the masked functions compute; nothing is said where the tests do not pass."""
    if not _is_passed(room.task, await room.rerun()):
        return []
    fresh = await run_context().part(PreparedCalls).of(room.task)
    if fresh.problems:
        return [Verdict.of(unknown(fresh.problems))]
    outputs = await run_step(room, questions(fresh))
    return [Verdict.of(await apart(grade_fresh_calls, fresh, outputs.get(ANSWERS)))]


async def _prepared(task: Task) -> FreshCalls:
    run = task.assay.run
    assert run is not None
    step = preparation(task.assay.masks, run.command, secrets.choice(SEEDS))
    async with CleanRoom(task, Submission(task.gold_files)) as solution:
        outputs = await run_step(solution, step)
    return await asyncio.to_thread(choose, outputs, function_names(task.assay.masks))


async def run_step(room: CleanRoom, step: SandboxStep) -> dict[str, bytes]:
    """The files that a command writes in a new copy of the room's workspace, which has more files."""
    name = secrets.token_hex(8)
    folder = room.folder / name
    with DiskFull.named(folder):
        await finish_in_thread(shutil.copytree, room.workspace, folder, symlinks=True)
        await finish_in_thread(_lay_out, step, folder)
    confinement = room.confine(
        folder, seconds=step.wall_seconds, gpu_memory_mb=room.task.assay.resources.gpu_memory_mb
    )
    # Not with more time on a busy machine: a submission that only sleeps would hold grading for an hour.
    outcome = await run_confined(
        confinement,
        ["/bin/bash", "-c", step.command],
        collect=step.collected,
        target_folder=room.outputs_folder(name),
    )
    room.saw(outcome)
    await finish_in_thread(shutil.rmtree, folder, ignore_errors=True)
    contents = {}
    for path in step.collected:
        if path in outcome.saved:
            with outcome.saved[path].open("rb") as file:
                contents[path] = file.read(MOST_ANSWER_BYTES)
    return contents


def _lay_out(step: SandboxStep, folder: Path) -> None:
    """Write the files of a step; nothing is written through what a submission put in their place."""
    target = folder / FOLDER
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)
    write_tree(step.files, folder)


def _is_passed(task: Task, rerun: Rerun) -> bool:
    return all(verdict.status == "met" for verdict in compare(task, rerun, task.gold.get(DEFAULT, {})))
