"""The matched optimiser takes momentum's effective step without momentum."""

from __future__ import annotations

from evidence import Unmet, decide
from reference import COEFFICIENT, RATE, RUNS, distance, submitted, trained


def check() -> str:
    wanted = RATE / (1 - COEFFICIENT)
    apart = [distance(submitted(variation)["matched", 0], trained(variation, wanted, 0.0)) for variation in RUNS]
    evidence = f"parameters of matched differ by up to {max(apart):.2g} of their size from plain descent at rate {wanted:.2g}"
    if max(apart) > 0.01:
        raise Unmet(evidence)
    return evidence


decide(check)
