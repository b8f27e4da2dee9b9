"""How a run is started: its variables, and the seed that is drawn for it."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable

VARIABLES = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "LANG": "C.UTF-8",
}
"""One thread and one hash seed, so that a number does not depend on the machine's load."""
BUSY_SHARE = 0.8
"""A run that reaches its time limit with less than this share of it as processor time was held up."""
IDLE_SHARE = 0.1
"""Share of the time of all processors that may be idle on a busy machine."""
SEEDS = range(10_000, 2**31 - 1)
"""From which fresh seeds are drawn: too many for a table of all answers, small enough for any library."""
DATA_SEEDS = range(10_000, 2**62)
"""For data that a program of the task makes: too many to try them all on the data."""
_PLACEHOLDER = re.compile(r"(?<!\$)\{seed\}")
"""The place of the drawn seed in a command; `${seed}` is left to the shell."""


def watch_processors() -> Callable[[], bool]:
    """Begin to watch all processors; the returned function says whether they were busy since then.

    Idle time decides, and not the load: a process can wait so that it counts as load and needs no processor.
    """
    idle, start = _idle_seconds(), time.monotonic()

    def were_busy() -> bool:
        return is_busy(_idle_seconds() - idle, time.monotonic() - start, os.cpu_count() or 1)

    return were_busy


def is_busy(idle_seconds: float, seconds: float, processors: int) -> bool:
    """Whether processors that were idle for so long, added up, had next to no time left; not if unknown."""
    return idle_seconds < IDLE_SHARE * seconds * processors


def _idle_seconds() -> float:
    """Seconds that all processors together had nothing to do; not a number if the system does not say."""
    try:
        with open("/proc/stat") as file:  # noqa: PTH123 (pathlib is slow to import)
            fields = file.readline().split()
        return (int(fields[4]) + int(fields[5])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return math.nan


def seeded_command(command: str | None, seed: int) -> str | None:
    """A variation's own command with the drawn seed in it."""
    return None if command is None else _PLACEHOLDER.sub(str(seed), command)
