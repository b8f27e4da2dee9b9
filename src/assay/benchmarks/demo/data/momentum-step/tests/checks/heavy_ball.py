"""Momentum adds the unscaled gradient to the velocity."""

from __future__ import annotations

from evidence import Unmet, decide
from reference import COEFFICIENT, RATE, RUNS, distance, submitted, trained


def check() -> str:
    heavy, averaged = [], []
    for variation in RUNS:
        found = submitted(variation)["momentum", 0]
        heavy.append(distance(found, trained(variation, RATE, COEFFICIENT)))
        averaged.append(distance(found, trained(variation, RATE, COEFFICIENT, share=1 - COEFFICIENT)))
    evidence = (
        f"parameters of momentum differ by up to {max(heavy):.2g} of their size from the heavy ball, "
        f"by {min(averaged):.2g} or more from an averaged gradient"
    )
    if max(heavy) > 0.01:
        raise Unmet(evidence)
    return evidence


decide(check)
