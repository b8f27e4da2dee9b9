"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "noise": ([1.0, 2.2], [0.9, 2.0], [1.1, 2.3]),
    "item_spread": (1.3, 1.5, 1.8),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "item": ("prompt", "problem"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
