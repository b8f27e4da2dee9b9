"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from remake import vary  # noqa: E402

RANGES = {
    "slope": (1.5, 1.7, 1.9),
    "guess": (0.2, 0.25, 0.3),
    "idle": (0.35, 0.4, 0.45),
    "shift": ([0.3, -1.9, 0.35], [-0.3, 1.9, 0.35], [0.2, -1.8, 0.3]),
    "kept": (0.25, 0.3, 0.35),
    "aging": (1.7, 2.0, 2.4),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "age": ("wait", "days"),
    "mixed": ("rewritten", "replaced"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
