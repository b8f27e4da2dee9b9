"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from remake import vary  # noqa: E402

RANGES = {
    "scale": ([5.0, 9.0], [4.0, 8.0], [6.0, 10.0]),
    "size": ([40, 80], [45, 80], [40, 75]),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "instrument": ("device", "sensor"),
    "arm": ("side", "group"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
