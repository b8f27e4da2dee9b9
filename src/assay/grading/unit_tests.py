"""Unit tests as a run, made once more with the masked functions of a submission emptied."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping

from assay.errors import DiskFull
from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.results import compare
from assay.grading.verdict import Verdict
from assay.own_loop import finish_in_thread
from assay.rules.unit_tests import EMPTIED, emptied, grade_emptied, not_emptied
from assay.tasks import DEFAULT, Task
from assay.tasks.files import write_tree


async def grade_unit_tests(room: CleanRoom) -> list[Verdict]:
    """Whether the tests pass because of the masked functions; nothing is said where they do not pass."""
    if not _is_passed(room.task, await room.rerun()):
        return []
    try:
        files = await asyncio.to_thread(_emptied_files, room.task, room.files)
    except ValueError as error:
        return [Verdict.of(not_emptied(str(error)))]
    folder = room.folder / EMPTIED
    with DiskFull.named(folder):
        await finish_in_thread(shutil.copytree, room.workspace, folder, symlinks=True)
        write_tree(files, folder)
    return [Verdict.of(grade_emptied(_is_passed(room.task, await room.run_in(folder, EMPTIED))))]


def _is_passed(task: Task, rerun: Rerun) -> bool:
    return all(verdict.status == "met" for verdict in compare(task, rerun, task.gold.get(DEFAULT, {})))


def _emptied_files(task: Task, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {
        path: emptied(files[path], [mask.function for mask in task.assay.masks if mask.file == path])
        for path in {mask.file for mask in task.assay.masks}
        if path in files
    }
