"""The table of repairs, in order: Assay applies only the first one that fits a failure.

After each repair it builds the whole environment again. A repair is a function from a plan and a failure
to another plan, or None; its module describes the kind of failure.
"""

from __future__ import annotations

from assay.workspace.building.plan import BuildPlan, Failure, Repair, RepairedPlan
from assay.workspace.building.repairs.builds import (
    ALLOW_SDIST,
    DROP_UNBUILDABLE,
    LOOSEN_UNBUILDABLE,
    OLD_BUILDS,
)
from assay.workspace.building.repairs.cpu import CPU_REPAIRS
from assay.workspace.building.repairs.imports import ADD_SETUPTOOLS, HEADLESS_OPENCV, HELD_BACK
from assay.workspace.building.repairs.names import ADD_MISSING_MODULE, NAMES
from assay.workspace.building.repairs.versions import DROP_LOCAL_VERSION, LOOSEN_PIN, OTHER_PYTHON

REPAIRS: tuple[Repair, ...] = (
    *CPU_REPAIRS,
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

__all__ = ["REPAIRS", "find_repair"]


def find_repair(
    plan: BuildPlan, failure: Failure, tried_plans: frozenset[BuildPlan]
) -> tuple[Repair, RepairedPlan] | None:
    """Return the first repair that applies and gives a new plan."""
    for repair in REPAIRS:
        repaired_plan = repair.fix(plan, failure)
        if repaired_plan is not None and repaired_plan.plan not in tried_plans:
            return repair, repaired_plan
    return None
