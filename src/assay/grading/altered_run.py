"""One more run, over files with other numbers: it decides whether results are copied or computed.

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
from assay.grading.execution_trace import altered, is_informative, same_results
from assay.own_loop import finish_in_thread
from assay.rules.remade import leaves
from assay.tasks.files import write_tree

WITHOUT_ASSERTIONS = {"PYTHONOPTIMIZE": "1"}

RunAgain = Callable[[Path, Mapping[str, str]], Awaitable[object]]
"""Runs the experiment in a folder with some variables and returns its results; None where it wrote none."""


async def computes(workspace: Path, sources: Mapping[str, bytes], results: object, run: RunAgain) -> bool:
    """Whether a run makes the same numbers when the files that have them (`sources`) get others.

    The log of an earlier run, or numbers that this run is compared with, are no source of results. An
    assertion may stop the run before it writes any: then it is made again without assertions.
    """
    numbers = [abs(number) for number in leaves(results).values() if is_informative(abs(number))]
    with _scratch_beside(workspace) as folder:
        with DiskFull.named(folder):
            await finish_in_thread(shutil.copytree, workspace, folder, symlinks=True, dirs_exist_ok=True)
            write_tree(await asyncio.to_thread(altered, sources, numbers), folder)
        remade = await run(folder, {})
        if remade is None:
            remade = await run(folder, WITHOUT_ASSERTIONS)
    return remade is not None and await asyncio.to_thread(same_results, results, remade)


@contextmanager
def _scratch_beside(workspace: Path) -> Iterator[Path]:
    """A new folder that programs in a sandbox may read; it is removed however its use ends."""
    with tempfile.TemporaryDirectory(
        prefix="altered-", dir=workspace.parent, ignore_cleanup_errors=True
    ) as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)
        yield folder
