"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "noise": ([20.0, 30.0], [19.0, 28.0], [22.0, 31.0]),
    "spread": ([6.0, 10.0], [6.5, 10.5], [6.0, 9.0]),
    "drift": (2.0, 3.0, 4.0),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "coached": ("tutored", "mentored"),
    "site": ("clinic", "depot"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
