"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "oldest": (85, 90, 95),
    "shape": ([1.3, 2.6], [1.4, 2.5]),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "oak": ("iris", "fern"),
    "elm": ("moss", "reed"),
    "pump": ("drive", "motor"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
