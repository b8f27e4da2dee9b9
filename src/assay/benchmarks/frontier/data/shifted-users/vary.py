"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from remake import vary  # noqa: E402

RANGES = {
    "turn": (0.5, 0.7, 0.9),
    "cut": (-0.2, 0.0, 0.3),
    "idle": (0.35, 0.4, 0.45),
    "low": ([-0.5, 0.3], [-0.4, 0.3], [-0.6, 0.3]),
    "floor": (0.05, 0.06, 0.08),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "outcome": ("rating", "mark"),
    "sessions": ("visits", "runs"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
