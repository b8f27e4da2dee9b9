"""How a run is started: its variables, and the seed that is drawn for it."""

from __future__ import annotations

import os
import re

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
BUSY_LOAD = 1.2
"""Processes that want to run for each core from which on a machine is busy."""
SEEDS = range(10_000, 2**31 - 1)
"""From which fresh seeds are drawn: too many for a table of all answers, small enough for any library."""
DATA_SEEDS = range(10_000, 2**62)
"""For data that a program of the task makes: too many to try them all on the data."""
_PLACEHOLDER = re.compile(r"(?<!\$)\{seed\}")
"""The place of the drawn seed in a command; `${seed}` is left to the shell."""


def machine_is_busy() -> bool:
    """Whether more processes than this machine has cores wanted to run during the last minute."""
    return os.getloadavg()[0] > BUSY_LOAD * (os.cpu_count() or 1)


def seeded_command(command: str | None, seed: int) -> str | None:
    """A variation's own command with the drawn seed in it."""
    return None if command is None else _PLACEHOLDER.sub(str(seed), command)
