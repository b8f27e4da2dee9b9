"""results.json says what the predictions say."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide, result
from reference import LABELS, REPEATS, RUNS, SELECTIONS, labels_of, submitted_predictions

ROUNDING = 6e-4
"""Results may be rounded to three decimals."""


def check() -> str:
    for variation in RUNS:
        cells = submitted_predictions(variation)
        for kind in LABELS:
            means = {}
            for place in SELECTIONS:
                right = [
                    np.mean(cells[kind, place, repeat].predicted == labels_of(variation, kind, repeat))
                    for repeat in range(REPEATS)
                ]
                means[place] = float(np.mean(right))
                compare(variation, f"accuracy.{kind}.{place}", means[place])
            compare(variation, f"optimism.{kind}", means["outside"] - means["inside"])
    return f"results.json of {len(RUNS)} runs agrees with the accuracies recomputed from predictions.csv"


def compare(variation: str, path: str, recomputed: float) -> None:
    said = result(variation, path)
    if abs(said - recomputed) > ROUNDING:
        raise Unmet(f"run {variation!r}: {path} is {said:.4f} in results.json, {recomputed:.4f} from the predictions")


decide(check)
