"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "cycle": (2.5, 3.0, 3.5),
    "noise": (0.6, 0.65, 0.7),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "tuned": ("eager", "pooled"),
    "base": ("stock", "lazy"),
    "load": ("delay", "usage"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
