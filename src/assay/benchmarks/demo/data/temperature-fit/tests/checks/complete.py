"""Each condition predicts exactly the test rows of each repeat."""

from __future__ import annotations

from evidence import decide
from reference import RUNS, submitted_odds


def check() -> str:
    lines = sum(len(odds) for variation in RUNS for odds in submitted_odds(variation).values())
    return f"{lines} predictions in {len(RUNS)} runs: each test row of the split once in each condition and repeat"


decide(check)
