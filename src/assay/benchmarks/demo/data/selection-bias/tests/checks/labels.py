"""The held-out rows are scored by the labels that the model was trained on."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide
from reference import RUNS, labels_of, submitted_predictions


def check() -> str:
    for variation in RUNS:
        for (kind, place, repeat), cell in submitted_predictions(variation).items():
            wrong = int(np.sum(cell.label != labels_of(variation, kind, repeat)))
            if wrong:
                raise Unmet(
                    f"run {variation!r}: {wrong} of {len(cell.label)} rows of {kind}, {place}, repeat {repeat} "
                    f"are scored by another label than streams.permuted and the table give"
                )
    return f"the labels of all conditions in {len(RUNS)} runs are the table's or their permutation"


decide(check)
