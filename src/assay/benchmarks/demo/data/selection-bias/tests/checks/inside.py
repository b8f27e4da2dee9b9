"""Selection inside sees the training rows of its fold only."""

from __future__ import annotations

from evidence import Unmet, decide
from reference import RUNS, best, features_of, folds_of, labels_of, submitted_features


def check() -> str:
    agree = leaking = total = 0
    for variation in RUNS:
        for (kind, repeat, fold), columns in submitted_features(variation, "inside").items():
            features, labels = features_of(variation, repeat), labels_of(variation, kind, repeat)
            train = folds_of(variation, repeat) != fold
            agree += columns == best(features[train], labels[train])
            leaking += columns == best(features, labels)
            total += 1
    found = f"of {total} folds, {agree} chose the best columns of their training rows, {leaking} those of all rows"
    if agree < 0.97 * total:
        raise Unmet(found)
    return found


decide(check)
