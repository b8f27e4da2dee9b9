"""More runs, over files with other numbers: they decide whether results are copied or computed.

What it does not cover: a run that compares with a file of an earlier run and, where a number differs, stops
before it writes its results in another way than by an `assert` of Python.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from assay.errors import DiskFull
from assay.grading.execution_trace import HollowRun, ReorderedLists, altered, is_informative, same_results
from assay.own_loop import finish_in_thread
from assay.rules.remade import leaves
from assay.tasks.files import write_tree

WITHOUT_ASSERTIONS = {"PYTHONOPTIMIZE": "1"}

Sources = Mapping[str, bytes]
RunAgain = Callable[[Path, Mapping[str, str]], Awaitable[object]]
"""Runs the experiment in a folder with some variables and returns its results; None where it wrote none."""


async def computes(
    workspace: Path, hollow: HollowRun, files: Sources, results: object, run: RunAgain
) -> bool:
    """Whether a run makes the same numbers when the files that have them get others.

    The log of an earlier run, or numbers that this run is compared with, are no source of results. A number
    that the run chose from a list is no copy either: it stays when the list has another order.
    """
    sources = {path: files[path] for path in hollow.sources}
    if not sources:
        return False
    numbers = {abs(number) for number in leaves(results).values() if is_informative(abs(number))}
    remade = await _run_over(await asyncio.to_thread(altered, sources, numbers), workspace, run)
    if remade is not None and await asyncio.to_thread(same_results, results, remade):
        return True
    if not hollow.may_choose:
        return False
    lists = await asyncio.to_thread(ReorderedLists, sources, results, numbers)
    if not lists.found:
        return False
    return lists.were_chosen_from(await _run_over(lists.files, workspace, run))


async def _run_over(changed: Mapping[str, bytes], workspace: Path, run: RunAgain) -> object:
    """The results of the run with changed files; None without any.

    An assertion may stop the run before it writes any: then it is made again without assertions.
    """
    with _scratch_beside(workspace) as folder:
        with DiskFull.named(folder):
            await finish_in_thread(shutil.copytree, workspace, folder, symlinks=True, dirs_exist_ok=True)
            write_tree(changed, folder)
        remade = await run(folder, {})
        return await run(folder, WITHOUT_ASSERTIONS) if remade is None else remade


@contextmanager
def _scratch_beside(workspace: Path) -> Iterator[Path]:
    """A new folder that programs in a sandbox may read; it is removed however its use ends."""
    with tempfile.TemporaryDirectory(
        prefix="altered-", dir=workspace.parent, ignore_cleanup_errors=True
    ) as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)
        yield folder
