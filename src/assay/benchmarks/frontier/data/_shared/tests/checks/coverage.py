"""The intervals contain the true numbers of studies drawn at grading."""

from __future__ import annotations

from batch import LIMITS, Unmet, decidable, decide, truth_of


def check() -> str:
    lines = decidable()
    inside = 0
    for line in lines:
        truth, numbers = truth_of(line.study, line.choice), line.numbers
        inside += truth is not None and numbers is not None and numbers[1] <= truth <= numbers[2]
    evidence = f"{inside} of {len(lines)} intervals contain the true number"
    if inside < LIMITS["coverage"] * len(lines):
        raise Unmet(evidence)
    return evidence


decide(check)
