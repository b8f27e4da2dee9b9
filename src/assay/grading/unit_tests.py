"""Unit tests as a run, made again with the masked functions of a submission watched, and emptied."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection, Mapping

from assay.apart import apart
from assay.errors import DiskFull
from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.results import compare
from assay.grading.verdict import Verdict
from assay.own_loop import finish_in_thread
from assay.rules.ruling import Ruling
from assay.rules.unit_tests import (
    EMPTIED,
    WATCHED,
    WatchedRun,
    emptied_files,
    grade_emptied,
    grade_replaced,
    grade_watched,
    masked_functions,
    not_emptied,
    watched_files,
)
from assay.tasks import DEFAULT, Task
from assay.tasks.files import write_tree
from assay.workspace import Submission


async def grade_unit_tests(room: CleanRoom) -> list[Verdict]:
    """Whether the tests pass because of the masked functions; nothing is said where they do not pass."""
    if not _is_passed(room.task, await room.rerun()):
        return []
    functions = masked_functions(room.files, room.task.assay.masks)
    if replaced := grade_replaced(room.submitted, functions):
        return [Verdict.of(replaced)]
    try:
        emptied = await apart(emptied_files, {path: room.files[path] for path in functions}, functions)
        ruling = await _watched(room)
    except ValueError as error:
        return [Verdict.of(not_emptied(str(error)))]
    if ruling is None:
        ruling = grade_emptied(_is_passed(room.task, await _run_with(room, emptied, EMPTIED)))
    return [Verdict.of(ruling)]


async def _watched(room: CleanRoom) -> Ruling | None:
    """What the watched run shows that the watched run of the solution does not; None if there is nothing."""
    watch, rerun = await _watched_run(room, ())
    solution_passes = True
    if watch.findings(rerun.results) or not _is_passed(room.task, rerun):
        async with CleanRoom(room.task, Submission(room.task.gold_files)) as control:
            watch_of_control, rerun_of_control = await _watched_run(control, None)
        solution_passes = _is_passed(room.task, rerun_of_control)
        allowed = watch_of_control.findings(rerun_of_control.results)
        if allowed:
            watch, rerun = await _watched_run(room, allowed)
    return grade_watched(watch, rerun.results, _is_passed(room.task, rerun), solution_passes)


async def _watched_run(room: CleanRoom, allowed: Collection[str] | None) -> tuple[WatchedRun, Rerun]:
    functions = masked_functions(room.files, room.task.assay.masks)
    run = room.task.assay.run
    results = (run.results if run else None) or ""
    changed = {*room.submitted, *functions}
    watch = await asyncio.to_thread(WatchedRun, room.files, changed, room.task.workspace, results, allowed)
    sources = {path: room.files[path] for path in functions}
    files = await apart(watched_files, sources, functions, watch.package)
    return watch, await _run_with(room, {**watch.files, **files}, WATCHED)


async def _run_with(room: CleanRoom, files: Mapping[str, bytes], name: str) -> Rerun:
    """The plain run in a new copy of the workspace with other contents of these files."""
    folder = room.folder / name
    with DiskFull.named(folder):
        await finish_in_thread(shutil.rmtree, folder, ignore_errors=True)
        await finish_in_thread(shutil.copytree, room.workspace, folder, symlinks=True)
        write_tree(files, folder)
    return await room.run_in(folder, name)


def _is_passed(task: Task, rerun: Rerun) -> bool:
    return all(verdict.status == "met" for verdict in compare(task, rerun, task.gold.get(DEFAULT, {})))
