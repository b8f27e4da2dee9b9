"""Repairs of environments whose imports fail after the installation."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.workspace.building.plan import BuildPlan, Failure, Repair, RepairedPlan
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
"""(name, pattern in the message of a failed import, constraint)."""


def _hold_back(name: str, pattern: str, constraint: str) -> Repair:
    def fix(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
        match = re.search(pattern, failure.message)
        if failure.stage != "import" or match is None or constraint in plan.constraints:
            return None
        changed_plan = replace(plan, constraints=(*plan.constraints, constraint))
        return RepairedPlan(changed_plan, f"{constraint}: {match.group(0)}")

    return Repair(name, f"an import says {pattern!r}", fix)


def add_setuptools(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Add setuptools below 81, which contains `pkg_resources`: new environments have no setuptools."""
    if failure.stage != "import" or "No module named 'pkg_resources'" not in failure.message:
        return None
    if any(wish.specifier == "<81" for wish in plan.wishes_for("setuptools")):
        return None
    return RepairedPlan(plan.without("setuptools").with_wish(Wish("setuptools", "<81")), "setuptools<81")


def headless_opencv(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Replace OpenCV by its headless build: the usual one needs libraries of a desktop."""
    if failure.stage != "import" or not re.search(r"lib(?:GL|gthread|SM|Xext)[\w.-]*\.so", failure.message):
        return None
    for name in ("opencv-python", "opencv-contrib-python"):
        if plan.wishes_for(name):
            changed_plan = plan.with_changed(name, lambda wish: replace(wish, name=f"{wish.name}-headless"))
            return RepairedPlan(changed_plan, f"{name} -> {name}-headless")
    return None


ADD_SETUPTOOLS = Repair("add-setuptools", "pkg_resources is missing", add_setuptools)
HELD_BACK = tuple(_hold_back(*row) for row in _HELD_BACK)
HEADLESS_OPENCV = Repair("headless-opencv", "OpenCV misses libraries of a desktop", headless_opencv)
