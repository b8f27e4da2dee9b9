"""The run follows ASSAY_SEED and ASSAY_DATA."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide
from reference import submitted


def check() -> str:
    plain, seeded, other = (submitted(variation) for variation in ("default", "other-seed", "other-patients"))
    changed = [sum(not np.array_equal(plain[cell], cells[cell]) for cell in plain) for cells in (seeded, other)]
    evidence = f"of {len(plain)} cells, another seed changes {changed[0]} and other data {changed[1]}"
    if min(changed) < len(plain):
        raise Unmet(evidence)
    return evidence


decide(check)
