"""All four conditions of a repeat share its folds."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide
from reference import RUNS, folds_of, submitted_predictions


def check() -> str:
    for variation in RUNS:
        for (kind, place, repeat), cell in submitted_predictions(variation).items():
            wrong = int(np.sum(cell.fold != folds_of(variation, repeat)))
            if wrong:
                raise Unmet(
                    f"run {variation!r}: {wrong} rows of {kind}, {place}, repeat {repeat} "
                    f"are in another fold than folds.assign_folds gives"
                )
    return f"the folds of all conditions in {len(RUNS)} runs are those of their repeat"


decide(check)
