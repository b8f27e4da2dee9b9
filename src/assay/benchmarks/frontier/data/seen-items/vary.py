"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "jitter": (0.008, 0.01, 0.012),
    "accuracy": ([0.58, 0.7], [0.6, 0.75], [0.62, 0.78]),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "record": ("reading", "specimen"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
