"""One more run, over files with other numbers: it decides whether results are copied or computed."""

from __future__ import annotations

import asyncio
import shutil
from typing import TYPE_CHECKING

from assay.errors import DiskFull
from assay.grading.apart import apart
from assay.grading.execution_trace import HollowRun, altered, same_results, telling
from assay.rules.remade import leaves
from assay.rules.results import parse_results
from assay.sandbox import run_confined
from assay.tasks.files import write_tree

if TYPE_CHECKING:
    from assay.grading.cleanroom import CleanRoom
    from assay.tasks import Run

NAME = "altered"


async def computes(room: CleanRoom, run: Run, results: object, hollow: HollowRun) -> bool:
    """Whether a run makes the same numbers when the files that have them get others.

    The log of an earlier run, or numbers that this run is compared with, are no source of results.
    """
    from assay.grading.cleanroom import results_file

    folder = room.folder / NAME
    numbers = [abs(number) for number in leaves(results).values() if telling(abs(number))]
    sources = {path: room.files[path] for path in hollow.sources}
    with DiskFull.named(folder):
        await asyncio.to_thread(shutil.copytree, room.workspace, folder, symlinks=True)
        write_tree(await asyncio.to_thread(altered, sources, numbers), folder)
    gpu_memory = room.task.assay.resources.gpu_memory_mb
    outcome = await run_confined(
        room.confine(folder, seconds=run.seconds, gpu_memory_mb=gpu_memory),
        ["/bin/bash", "-c", run.command],
        collect=run.written,
        target_folder=room.outputs_folder(NAME),
    )
    # A run that compares at its end may fail there: what it wrote before still counts.
    data = await asyncio.to_thread(results_file, run, outcome)
    remade, _ = await apart(parse_results, run, data, outcome.stdout)
    return remade is not None and await asyncio.to_thread(same_results, results, remade)
