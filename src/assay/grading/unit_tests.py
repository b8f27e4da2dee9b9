"""Unit tests as a run: everybody knows that they should pass, so the numbers must come from the functions.

A submission runs in the process that runs the tests and could make them pass in another way. So the tests run
once more with its masked functions emptied, and must fail then.

What it does not cover: code that forges the results of the tests and also notices that its own functions are
emptied. docs/mask.md says so.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping

from assay.errors import DiskFull, MaskError
from assay.grading.cleanroom import CleanRoom, Rerun
from assay.grading.results import compare
from assay.grading.verdict import Verdict
from assay.masking.engine import mask
from assay.rules.ruling import met, unmet
from assay.tasks import DEFAULT, Task
from assay.tasks.files import write_tree

ITEM = "integrity.tests"
EMPTIED = "emptied"


async def grade_unit_tests(room: CleanRoom) -> list[Verdict]:
    """Whether the tests pass because of the masked functions; nothing is said where they do not pass."""
    if not _is_passed(room.task, await room.rerun()):
        return []
    try:
        emptied = await asyncio.to_thread(_emptied, room.task, room.files)
    except MaskError as error:
        evidence = f"the functions cannot be emptied to see whether the tests need them: {error.message}"
        return [Verdict(item=ITEM, status="unknown", owner="agent", evidence=evidence)]
    folder = room.folder / EMPTIED
    with DiskFull.named(folder):
        await asyncio.to_thread(shutil.copytree, room.workspace, folder, symlinks=True)
        write_tree(emptied, folder)
    if _is_passed(room.task, await room.run_in(folder, EMPTIED)):
        return [Verdict.of(unmet(ITEM, "all tests pass with the masked functions emptied, too"))]
    return [Verdict.of(met(ITEM, "with the masked functions emptied, tests fail"))]


def _is_passed(task: Task, rerun: Rerun) -> bool:
    return all(verdict.status == "met" for verdict in compare(task, rerun, task.gold.get(DEFAULT, {})))


def _emptied(task: Task, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with masked functions, with nothing in these functions."""
    names: dict[str, list[str]] = {}
    for masked in task.assay.masks:
        names.setdefault(masked.file, []).append(masked.function)
    return {path: mask(files[path], functions).source for path, functions in names.items() if path in files}
