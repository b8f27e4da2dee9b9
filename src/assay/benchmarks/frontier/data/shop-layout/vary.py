"""Makes another task of the same difficulty: `python vary.py SEED` in a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent
sys.path[:0] = [str(TASK / "tests/making"), str(TASK.parent / "_shared/tests/making")]

from refresh import vary  # noqa: E402

RANGES = {
    "shop_spread": (4.2, 4.5, 5.0),
    "visit_spread": (2.0, 2.2, 2.4),
    "season": (1.0, 1.5, 2.0),
}
"""Constants of the generator, and the values that each may take."""
NAMES = {
    "layout": ("display", "lighting"),
    "spend": ("basket", "revenue"),
    "shopper": ("customer", "member"),
}
"""Words of the task, and other words for each."""

vary(TASK, int(sys.argv[1]), RANGES, NAMES)
