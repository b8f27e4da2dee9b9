"""Runs with a time limit that a busy machine does not make fail."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from assay.rules.challenge import WALL_FACTOR
from assay.rules.running import BUSY_SHARE, watch_processors
from assay.sandbox import Confinement, Outcome, run_confined


async def run_with_patience(
    confinement: Confinement,
    command: Sequence[str],
    *,
    collect: Sequence[str],
    target_folder: Path,
    watch: Callable[[], Callable[[], bool]] = watch_processors,
) -> Outcome:
    """Run a command; if the machine was too busy for its time limit, run it again with more time.

    The limit is time on the clock. A command that reaches it on a busy machine with less processor time than
    that had to wait for other processes, and this says nothing about the command.
    """
    limits = confinement.limits
    wall_seconds = limits.wall_seconds
    # More than the wall limit allows, so it ends nothing; with a limit the kernel counts the time.
    cpu_seconds = limits.cpu_seconds or math.ceil(wall_seconds * (os.cpu_count() or 1)) + 1
    counted = replace(limits, cpu_seconds=cpu_seconds)
    were_busy = watch()
    outcome = await run_confined(
        replace(confinement, limits=counted), command, collect=collect, target_folder=target_folder
    )
    is_late = outcome.exceeded == "wall" or (outcome.timed_out and outcome.exceeded is None)
    if not (is_late and was_held_up(outcome, wall_seconds) and were_busy()):
        return outcome
    longer = replace(counted, wall_seconds=WALL_FACTOR * wall_seconds)
    return await run_confined(
        replace(confinement, limits=longer),
        command,
        collect=collect,
        target_folder=target_folder.with_name(f"{target_folder.name}-longer"),
    )


def was_held_up(outcome: Outcome, seconds: float) -> bool:
    """Whether a command got less processor time than a machine with a free core gives in so many seconds."""
    return outcome.cpu_seconds is not None and outcome.cpu_seconds < BUSY_SHARE * seconds
