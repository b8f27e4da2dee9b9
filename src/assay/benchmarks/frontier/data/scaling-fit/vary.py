"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "noise": ([0.012, 0.02], [0.01, 0.018], [0.014, 0.022]),
    "penalty": ([0.15, 0.4], [0.2, 0.45]),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "goal": ("aim", "limit"),
    "steps": ("updates", "iterations"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
