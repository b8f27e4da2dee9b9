"""The run follows ASSAY_SEED and ASSAY_DATA."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide
from reference import submitted_odds


def check() -> str:
    plain, seeded, other = (submitted_odds(variation) for variation in ("default", "other-seed", "other-masses"))
    changed = sum(not np.array_equal(plain[cell], seeded[cell]) for cell in plain)
    evidence = (
        f"another seed changes the log-odds of {changed} of {len(plain)} cells; "
        f"other data give {len(other['none', 0])} test rows instead of {len(plain['none', 0])}"
    )
    if changed < len(plain):
        raise Unmet(evidence)
    return evidence


decide(check)
