"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "noise": (4.5, 5.0, 5.5),
    "turn_minutes": (1.2, 1.4, 1.6),
    "spread_of_effects": (6.5, 7.0, 7.5),
    "queue_minutes": (0.4, 0.5, 0.6),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "queue": ("backlog", "waiting"),
    "tier": ("grade", "level"),
    "turns": ("messages", "replies"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
