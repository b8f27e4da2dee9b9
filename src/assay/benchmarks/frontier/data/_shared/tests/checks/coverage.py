"""The intervals contain the true numbers of studies drawn at grading, also in the kind where they do so least often."""

from __future__ import annotations

from statistics import mean

from batch import LIMITS, Unmet, decidable, decide, kind_of, truth_of
from scores import FEWEST


def check() -> str:
    inside: dict[str, list[bool]] = {}
    for line in decidable():
        truth, numbers = truth_of(line.study, line.choice), line.numbers
        holds = truth is not None and numbers is not None and numbers[1] <= truth <= numbers[2]
        inside.setdefault(kind_of(line.study), []).append(holds)
    total = mean(hit for hits in inside.values() for hit in hits)
    worst = min([mean(hits) for hits in inside.values() if len(hits) >= FEWEST] or [total])
    evidence = f"intervals contain the true number in {total:.1%} of the studies, in the worst kind {worst:.1%}"
    if total < LIMITS["coverage"] or worst < LIMITS["kind"]:
        raise Unmet(evidence)
    return evidence


decide(check)
