"""The conditions of a repeat scale the log-odds of one model."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide
from reference import CONDITIONS, REPEATS, RUNS, submitted_odds, submitted_temperatures


def check() -> str:
    apart = 0.0
    for variation in RUNS:
        odds, temperatures = submitted_odds(variation), submitted_temperatures(variation)
        for repeat in range(REPEATS):
            whole = odds["none", repeat]
            for condition in CONDITIONS:
                restored = odds[condition, repeat] * temperatures[condition, repeat]
                apart = max(apart, float(np.abs(restored - whole).mean() / max(np.abs(whole).mean(), 1e-9)))
    evidence = f"log-odds times temperature differ by up to {apart:.2g} of their size from the unscaled ones"
    if not apart < 0.001:
        raise Unmet(evidence)
    return evidence


decide(check)
