"""Bagged predictions are means over bootstrap samples of the training set."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide
from reference import NEIGHBOURS, RUNS, SETS_LOOKED_AT, bootstrap_rows, predicted, submitted

NEAR = 1.0
"""In units of the target; a near tie decided otherwise in one of 25 samples moves a mean by less, mostly."""


def check() -> str:
    agree = alone = total = 0
    for variation in RUNS:
        for neighbours in NEIGHBOURS:
            cells = submitted(variation)
            for number in SETS_LOOKED_AT:
                each = [predicted(variation, neighbours, rows) for rows in bootstrap_rows(variation, number)]
                found = cells[neighbours, "bagged"][number]
                agree += int(np.sum(np.abs(found - np.mean(each, axis=0)) < NEAR))
                alone += int(np.sum(np.abs(found - cells[neighbours, "single"][number]) < NEAR))
                total += len(found)
    evidence = (
        f"of {total} bagged predictions, {agree} are the mean over the bootstrap samples, "
        f"{alone} no other than the single prediction"
    )
    if agree < 0.99 * total:
        raise Unmet(evidence)
    return evidence


decide(check)
