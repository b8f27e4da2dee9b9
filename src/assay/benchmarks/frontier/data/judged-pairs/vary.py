"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "length_pull": ([0.5, 1.0], [0.6, 1.1], [0.45, 0.9]),
    "first_share": ([0.68, 0.85], [0.7, 0.85]),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "pair": ("duel", "bout"),
    "vote": ("verdict", "ballot"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
