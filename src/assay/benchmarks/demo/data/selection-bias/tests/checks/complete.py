"""Every row is predicted exactly once in each repeat of each condition."""

from __future__ import annotations

from evidence import decide
from reference import CELLS, RUNS, submitted_predictions


def check() -> str:
    lines = sum(len(cell.label) for variation in RUNS for cell in submitted_predictions(variation).values())
    return f"{lines} predictions in {len(RUNS)} runs: each row once in each of {len(CELLS)} cells"


decide(check)
