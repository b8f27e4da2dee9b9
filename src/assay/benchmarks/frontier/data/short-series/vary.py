"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from remake import vary  # noqa: E402

RANGES = {
    "weeks": ([20, 32], [21, 33], [20, 31]),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "office": ("branch", "station"),
    "rule": ("policy", "law"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
