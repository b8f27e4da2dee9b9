"""Repairs of environments that install and do not import."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.workspace.building.plan import Failure, Mended, Plan, Repair
from assay.workspace.building.wishes import Wish

_HELD_BACK = (
    (
        "numpy-below-2",
        r"compiled using NumPy 1\.x|numpy\.dtype size changed|numpy\.core\.multiarray failed to import"
        r"|was removed in the NumPy 2\.0 release|_ARRAY_API not found",
        "numpy<2",
    ),
    (
        "numpy-below-1-24",
        r"module 'numpy' has no attribute '(?:float|int|bool|object|str|complex)'",
        "numpy<1.24",
    ),
    ("protobuf-below-3-21", r"Descriptors can(?:not| not) be created directly", "protobuf<3.21"),
)
"""(name, what an import says, what must stay below)."""


def _hold_back(name: str, pattern: str, constraint: str) -> Repair:
    def mend(plan: Plan, failure: Failure) -> Mended | None:
        found = re.search(pattern, failure.message)
        if failure.stage != "import" or found is None or constraint in plan.constraints:
            return None
        mended = replace(plan, constraints=(*plan.constraints, constraint))
        return Mended(mended, f"{constraint}: {found.group(0)}")

    return Repair(name, f"an import says {pattern!r}", mend)


def add_setuptools(plan: Plan, failure: Failure) -> Mended | None:
    """`pkg_resources` is part of setuptools, which environments no longer hold, up to version 81."""
    if failure.stage != "import" or "No module named 'pkg_resources'" not in failure.message:
        return None
    if any(wish.specifier == "<81" for wish in plan.named("setuptools")):
        return None
    return Mended(plan.without("setuptools").adding(Wish("setuptools", "<81")), "setuptools<81")


def headless_opencv(plan: Plan, failure: Failure) -> Mended | None:
    """The usual build of OpenCV needs libraries of a desktop."""
    if failure.stage != "import" or not re.search(r"lib(?:GL|gthread|SM|Xext)[\w.-]*\.so", failure.message):
        return None
    for name in ("opencv-python", "opencv-contrib-python"):
        if plan.named(name):
            mended = plan.changed(name, lambda wish: replace(wish, name=f"{wish.name}-headless"))
            return Mended(mended, f"{name} -> {name}-headless")
    return None


ADD_SETUPTOOLS = Repair("add-setuptools", "pkg_resources is missing", add_setuptools)
HELD_BACK = tuple(_hold_back(*each) for each in _HELD_BACK)
HEADLESS_OPENCV = Repair("headless-opencv", "OpenCV misses libraries of a desktop", headless_opencv)
