"""One more run, over files with other numbers: it decides whether results are copied or computed."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from assay.errors import DiskFull
from assay.grading.execution_trace import altered, is_informative, same_results
from assay.own_loop import finish_in_thread
from assay.rules.remade import leaves
from assay.tasks.files import write_tree

NAME = "altered"

RunAgain = Callable[[Path], Awaitable[object]]
"""Runs the experiment in a folder and returns its results; None where it wrote none."""


async def computes(workspace: Path, sources: Mapping[str, bytes], results: object, run: RunAgain) -> bool:
    """Whether a run makes the same numbers when the files that have them (`sources`) get others.

    The log of an earlier run, or numbers that this run is compared with, are no source of results.
    """
    folder = workspace.parent / NAME
    numbers = [abs(number) for number in leaves(results).values() if is_informative(abs(number))]
    with DiskFull.named(folder):
        await finish_in_thread(shutil.copytree, workspace, folder, symlinks=True)
        write_tree(await asyncio.to_thread(altered, sources, numbers), folder)
    remade = await run(folder)
    return remade is not None and await asyncio.to_thread(same_results, results, remade)
