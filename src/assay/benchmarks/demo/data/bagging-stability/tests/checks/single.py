"""Single predictions come from the nearest rows of the training set."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide
from reference import NEIGHBOURS, RUNS, SETS_LOOKED_AT, predicted, submitted, training_rows

NEAR = 0.01


def check() -> str:
    agree = total = 0
    for variation in RUNS:
        for neighbours in NEIGHBOURS:
            found = submitted(variation)[neighbours, "single"]
            for number in SETS_LOOKED_AT:
                expected = predicted(variation, neighbours, training_rows(variation, number))
                agree += int(np.sum(np.abs(found[number] - expected) < NEAR))
                total += len(expected)
    evidence = f"{agree} of {total} single predictions are the mean target of the nearest rows of their training set"
    if agree < 0.995 * total:
        raise Unmet(evidence)
    return evidence


decide(check)
