"""The table of repairs, in the order in which they are tried: the first that applies is made, alone.

After each the whole environment is made anew. A repair is a function from a plan and a failure to
another plan, or None; its module says what kind of failure it answers.
"""

from __future__ import annotations

from assay.workspace.building.plan import Failure, Mended, Plan, Repair
from assay.workspace.building.repairs.builds import (
    ALLOW_SDIST,
    DROP_UNBUILDABLE,
    LOOSEN_UNBUILDABLE,
    OLD_BUILDS,
)
from assay.workspace.building.repairs.imports import ADD_SETUPTOOLS, HEADLESS_OPENCV, HELD_BACK
from assay.workspace.building.repairs.names import ADD_MISSING_MODULE, NAMES
from assay.workspace.building.repairs.versions import DROP_LOCAL_VERSION, LOOSEN_PIN, OTHER_PYTHON

REPAIRS: tuple[Repair, ...] = (
    *NAMES,
    DROP_LOCAL_VERSION,
    *OLD_BUILDS,
    LOOSEN_UNBUILDABLE,
    DROP_UNBUILDABLE,
    OTHER_PYTHON,
    ALLOW_SDIST,
    LOOSEN_PIN,
    *HELD_BACK,
    HEADLESS_OPENCV,
    ADD_SETUPTOOLS,
    ADD_MISSING_MODULE,
)

__all__ = ["REPAIRS", "repaired"]


def repaired(plan: Plan, failure: Failure, tried: frozenset[Plan]) -> tuple[Repair, Mended] | None:
    """The first repair that applies and leads to a plan that was not tried yet."""
    for repair in REPAIRS:
        mended = repair.mend(plan, failure)
        if mended is not None and mended.plan not in tried:
            return repair, mended
    return None
