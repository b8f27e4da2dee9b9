"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "spread": (0.4, 0.45, 0.5),
    "steepness": (3.5, 4.0, 5.0),
    "node_share": (0.2, 0.22, 0.24),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "bold": ("swift", "steep"),
    "calm": ("steady", "plain"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
