"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "noise": ([0.048, 0.08], [0.04, 0.072], [0.056, 0.088]),
    "penalty": ([0.6, 1.6], [0.8, 1.8]),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "goal": ("aim", "limit"),
    "steps": ("updates", "iterations"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
