"""Repairs of builds from source."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.workspace.building.distribution_names import is_heavy
from assay.workspace.building.plan import BuildPlan, Failure, Repair, RepairedPlan
from assay.workspace.building.repairs.blame import (
    distributions_without_wheel,
    for_other_machines,
    unbuilt_distributions,
)

_OLD_BUILDS = (
    ("setuptools-below-58", r"use_2to3 is invalid", "setuptools<58"),
    ("setuptools-below-66", r"'?extras_require'? must be a dictionary|Invalid version: '", "setuptools<66"),
    ("setuptools-below-81", r"No module named '?pkg_resources", "setuptools<81"),
    ("cython-below-3", r"Cython\.Compiler\.Errors\.CompileError|cython_sources", "cython<3"),
    ("numpy-below-2-to-build", r"No module named '?numpy\.distutils", "numpy<1.26"),
)
"""(name, pattern in the message of a failed build, constraint on the build)."""


def _hold_back(name: str, pattern: str, constraint: str) -> Repair:
    def fix(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
        broken = unbuilt_distributions(failure)
        if not broken or not re.search(pattern, failure.message) or constraint in plan.build_constraints:
            return None
        changed_plan = replace(plan, build_constraints=(*plan.build_constraints, constraint))
        return RepairedPlan(changed_plan, f"{constraint} to build {broken[0]}")

    return Repair(name, f"a build says {pattern!r}", fix)


def allow_sdist(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Allow the build of one distribution, except those that need compilers and many minutes."""
    if failure.stage != "resolve":
        return None
    for name in distributions_without_wheel(failure):
        if name not in plan.sdists and not is_heavy(name):
            return RepairedPlan(replace(plan, sdists=plan.sdists | {name}), name)
    return None


def drop_unbuildable(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Drop a distribution that does not build, if no code or only a function imports it."""
    hopeless = [name for name in distributions_without_wheel(failure) if is_heavy(name)]
    for name in (*unbuilt_distributions(failure), *hopeless, *for_other_machines(failure)):
        if plan.wishes_for(name) and (name not in plan.needed or name in plan.lazy):
            return RepairedPlan(replace(plan.without(name), sdists=plan.sdists - {name}), name)
    return None


def loosen_unbuildable(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Remove the pin of a distribution that does not build: another version may have a wheel."""
    for name in unbuilt_distributions(failure):
        if name in plan.sdists and any(wish.specifier for wish in plan.wishes_for(name)):
            changed_plan = plan.with_changed(name, lambda wish: replace(wish, specifier=""))
            return RepairedPlan(replace(changed_plan, sdists=plan.sdists - {name}), name)
    return None


OLD_BUILDS = tuple(_hold_back(*row) for row in _OLD_BUILDS)
ALLOW_SDIST = Repair("allow-sdist", "a distribution has no wheel", allow_sdist)
LOOSEN_UNBUILDABLE = Repair("loosen-unbuildable", "a pinned distribution does not build", loosen_unbuildable)
DROP_UNBUILDABLE = Repair(
    "drop-unbuildable",
    "a distribution that no code, or only a function, imports does not build",
    drop_unbuildable,
)
