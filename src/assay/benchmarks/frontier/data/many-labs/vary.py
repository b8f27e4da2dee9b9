"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from remake import vary  # noqa: E402

RANGES = {
    "room_spread": (2.8, 3.0, 3.2),
    "noise": (5.5, 6.0, 6.5),
    "slope": (0.5, 0.6, 0.7),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "room": ("ward", "hall"),
    "lab": ("clinic", "team"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
