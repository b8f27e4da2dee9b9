"""The run follows ASSAY_SEED and ASSAY_DATA."""

from __future__ import annotations

from evidence import Unmet, decide
from reference import distance, submitted


def check() -> str:
    plain = submitted("default")
    apart = {
        variation: min(distance(submitted(variation)[cell], plain[cell]) for cell in plain)
        for variation in ("other-seed", "other-digits")
    }
    evidence = ", ".join(f"{name} moves every training's parameters by {value:.2g} or more" for name, value in apart.items())
    if min(apart.values()) < 1e-3:
        raise Unmet(f"{evidence}, expected at least 0.001 of their size")
    return evidence


decide(check)
