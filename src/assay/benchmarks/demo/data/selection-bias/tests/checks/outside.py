"""Selection outside is one choice in a repeat, on all rows."""

from __future__ import annotations

from evidence import Unmet, decide
from reference import RUNS, best, features_of, labels_of, submitted_features


def check() -> str:
    agree = total = 0
    for variation in RUNS:
        for (kind, repeat, _), columns in submitted_features(variation, "outside").items():
            agree += columns == best(features_of(variation, repeat), labels_of(variation, kind, repeat))
            total += 1
    found = f"of {total} folds with selection outside, {agree} use the best columns of all rows"
    if agree < 0.97 * total:
        raise Unmet(found)
    return found


decide(check)
