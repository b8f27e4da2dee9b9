"""The learning rate falls linearly over the steps."""

from __future__ import annotations

from evidence import Unmet, decide
from reference import RATE, RUNS, distance, submitted, trained


def check() -> str:
    falling, constant = [], []
    for variation in RUNS:
        found = submitted(variation)["plain", 0]
        falling.append(distance(found, trained(variation, RATE, 0.0)))
        constant.append(distance(found, trained(variation, RATE, 0.0, decay=False)))
    evidence = (
        f"parameters of plain differ by up to {max(falling):.2g} of their size from descent with the rate "
        f"falling linearly, by {min(constant):.2g} or more from a constant rate"
    )
    if max(falling) > 0.01:
        raise Unmet(evidence)
    return evidence


decide(check)
