"""The model saw the training rows alone, in training and in standardising."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide
from reference import REPEATS_LOOKED_AT, RUNS, odds_of, rows_of, submitted_odds


def check() -> str:
    apart = 0.0
    for variation in RUNS:
        for repeat in REPEATS_LOOKED_AT:
            expected = odds_of(variation, repeat)[rows_of(variation, repeat)["test"]]
            found = submitted_odds(variation)["none", repeat]
            apart = max(apart, float(np.abs(found - expected).mean() / np.abs(expected).mean()))
    evidence = f"unscaled log-odds of the test rows differ by up to {apart:.2g} of their size from a model of the training rows"
    if not apart < 0.005:
        raise Unmet(evidence)
    return evidence


decide(check)
