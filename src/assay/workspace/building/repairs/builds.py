"""Repairs of builds from source."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.workspace.building.known import is_heavy
from assay.workspace.building.plan import Failure, Mended, Plan, Repair
from assay.workspace.building.repairs.blame import for_other_machines, unbuilt, wheelless

_OLD_BUILDS = (
    ("setuptools-below-58", r"use_2to3 is invalid", "setuptools<58"),
    ("setuptools-below-66", r"'?extras_require'? must be a dictionary|Invalid version: '", "setuptools<66"),
    ("setuptools-below-81", r"No module named '?pkg_resources", "setuptools<81"),
    ("cython-below-3", r"Cython\.Compiler\.Errors\.CompileError|cython_sources", "cython<3"),
    ("numpy-below-2-to-build", r"No module named '?numpy\.distutils", "numpy<1.26"),
)
"""(name, what a failed build says, what the build must keep below)."""


def _hold_back(name: str, pattern: str, constraint: str) -> Repair:
    def mend(plan: Plan, failure: Failure) -> Mended | None:
        broken = unbuilt(failure)
        if not broken or not re.search(pattern, failure.message) or constraint in plan.build_constraints:
            return None
        mended = replace(plan, build_constraints=(*plan.build_constraints, constraint))
        return Mended(mended, f"{constraint} to build {broken[0]}")

    return Repair(name, f"a build says {pattern!r}", mend)


def allow_sdist(plan: Plan, failure: Failure) -> Mended | None:
    """Build one named distribution; those that take compilers and many minutes are never built."""
    if failure.stage != "resolve":
        return None
    for name in wheelless(failure):
        if name not in plan.sdists and not is_heavy(name):
            return Mended(replace(plan, sdists=plan.sdists | {name}), name)
    return None


def drop_unbuildable(plan: Plan, failure: Failure) -> Mended | None:
    """One that does not build, and that nothing imports, or that only a function does undeclared."""
    hopeless = [name for name in wheelless(failure) if is_heavy(name)]
    for name in (*unbuilt(failure), *hopeless, *for_other_machines(failure)):
        if plan.named(name) and (name not in plan.needed or name in plan.lazy):
            return Mended(replace(plan.without(name), sdists=plan.sdists - {name}), name)
    return None


def loosen_unbuildable(plan: Plan, failure: Failure) -> Mended | None:
    """A pinned distribution that does not build: another version of it may have a wheel."""
    for name in unbuilt(failure):
        if name in plan.sdists and any(wish.specifier for wish in plan.named(name)):
            mended = plan.changed(name, lambda wish: replace(wish, specifier=""))
            return Mended(replace(mended, sdists=plan.sdists - {name}), name)
    return None


OLD_BUILDS = tuple(_hold_back(*each) for each in _OLD_BUILDS)
ALLOW_SDIST = Repair("allow-sdist", "a distribution has no wheel", allow_sdist)
LOOSEN_UNBUILDABLE = Repair("loosen-unbuildable", "a pinned distribution does not build", loosen_unbuildable)
DROP_UNBUILDABLE = Repair(
    "drop-unbuildable", "what nothing imports, or only a function, does not build", drop_unbuildable
)
