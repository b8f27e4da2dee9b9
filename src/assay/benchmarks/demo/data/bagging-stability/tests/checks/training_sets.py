"""Predictions vary from training set to training set."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide
from reference import RUNS, TRAINING_SETS, submitted


def check() -> str:
    different = min(
        len(np.unique(cell.round(6), axis=0)) for variation in RUNS for cell in submitted(variation).values()
    )
    evidence = f"at least {different} of {TRAINING_SETS} training sets give predictions of their own"
    if different < TRAINING_SETS:
        raise Unmet(evidence)
    return evidence


decide(check)
