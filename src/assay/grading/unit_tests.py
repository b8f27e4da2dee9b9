"""Unit tests as a run, made again with the masked functions of a submission watched, and emptied."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping

from assay.errors import DiskFull
from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.results import compare
from assay.grading.verdict import Verdict
from assay.own_loop import finish_in_thread
from assay.rules.unit_tests import (
    EMPTIED,
    WATCHED,
    emptied_files,
    forged_result,
    grade_emptied,
    grade_forged,
    not_emptied,
    watched_files,
)
from assay.tasks import DEFAULT, Task
from assay.tasks.files import write_tree


async def grade_unit_tests(room: CleanRoom) -> list[Verdict]:
    """Whether the tests pass because of the masked functions; nothing is said where they do not pass."""
    if not _is_passed(room.task, await room.rerun()):
        return []
    table, given_files = room.task.assay, room.task.workspace
    results = (table.run.results if table.run else None) or ""
    try:
        emptied = await asyncio.to_thread(emptied_files, room.files, table.masks)
        submitted = list(room.submitted)
        watched = await asyncio.to_thread(
            watched_files, room.files, table.masks, submitted, given_files, results
        )
    except ValueError as error:
        return [Verdict.of(not_emptied(str(error)))]
    finding = forged_result((await _run_with(room, watched, WATCHED)).results)
    if finding is not None:
        return [Verdict.of(grade_forged(finding))]
    return [Verdict.of(grade_emptied(_is_passed(room.task, await _run_with(room, emptied, EMPTIED))))]


async def _run_with(room: CleanRoom, files: Mapping[str, bytes], name: str) -> Rerun:
    """The plain run in a copy of the workspace with other contents of these files."""
    folder = room.folder / name
    with DiskFull.named(folder):
        await finish_in_thread(shutil.copytree, room.workspace, folder, symlinks=True)
        write_tree(files, folder)
    return await room.run_in(folder, name)


def _is_passed(task: Task, rerun: Rerun) -> bool:
    return all(verdict.status == "met" for verdict in compare(task, rerun, task.gold.get(DEFAULT, {})))
