"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "doubt_right": (0.12, 0.15, 0.18),
    "doubt_wrong": (0.7, 0.75, 0.8),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "cheap": ("crowd", "quick"),
    "expert": ("senior", "editor"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
