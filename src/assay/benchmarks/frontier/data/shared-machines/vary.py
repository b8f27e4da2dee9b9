"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "machine_spread": (8.0, 9.0, 10.0),
    "noise": (3.5, 4.0, 4.5),
    "lopsided": (0.78, 0.8, 0.82),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "kernel": ("driver", "compiler"),
    "machine": ("node", "server"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
