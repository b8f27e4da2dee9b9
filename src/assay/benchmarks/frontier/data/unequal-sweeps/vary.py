"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "depth": ([14.0, 28.0], [15.0, 27.0], [14.0, 25.0]),
    "peak_spread": (1.8, 2.0, 2.4),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "probe": ("comet", "lyra"),
    "anchor": ("basalt", "delta"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
