"""Every test row is predicted by every learner and method from every training set."""

from __future__ import annotations

from evidence import decide
from reference import RUNS, submitted


def check() -> str:
    lines = sum(cell.size for variation in RUNS for cell in submitted(variation).values())
    return f"{lines} predictions in {len(RUNS)} runs: each test row once for each learner, method and training set"


decide(check)
