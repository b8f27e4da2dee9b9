"""Repairs of versions that conflict, or that this Python does not support."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.workspace.building.plan import BuildPlan, Failure, Repair, RepairedPlan
from assay.workspace.building.repairs.blame import blamed_wishes, distributions_without_wheel
from assay.workspace.building.resolving import has_wheel

_PYTHON = re.compile(r"does not satisfy Python|depends on Python")
_DEMAND = re.compile(r"does not satisfy Python>=?3\.(\d+)")
_NEEDS_OLDER = re.compile(
    r"cannot import name '\w+' from 'collections'|No module named '(?:distutils|imp|asynchat|asyncore)'"
    r"|module 'pkgutil' has no attribute 'ImpImporter'|module 'inspect' has no attribute 'getargspec'"
)


def drop_local_version(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """`torch==1.10.0+cu113` is the same release as 1.10.0, built for other hardware."""
    for wish in blamed_wishes(plan, failure):
        if "+" in wish.specifier:
            plain = re.sub(r"\+[\w.]+", "", wish.specifier)
            return RepairedPlan(plan.with_specifier(wish, plain), f"{wish.line} -> {wish.name}{plain}")
    return None


def other_python(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Use a Python for which the authors' version has a wheel: it is most likely theirs."""
    if failure.stage == "resolve":
        wheelless_names = set(distributions_without_wheel(failure))
        pinned = [
            wish for wish in blamed_wishes(plan, failure) if wish.name in wheelless_names and wish.specifier
        ]
        if not pinned and _PYTHON.search(failure.message):
            pinned = [wish for wish in blamed_wishes(plan, failure) if wish.specifier]
        for wish in pinned[:1]:
            for python in plan.other_pythons:
                if has_wheel(wish, plan, python):
                    return _with_python(plan, python, f"{wish.line} has a wheel there")
        return _newer_python(plan, failure)
    if match := _NEEDS_OLDER.search(failure.message):
        older = [minor for minor in plan.other_pythons if _number(minor) < _number(plan.python)]
        if older:
            return _with_python(plan, older[0], match.group(0))
    return None


def _newer_python(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Raise the Python if a requirement has no version for this one."""
    demand = _DEMAND.search(failure.message)
    if demand is None:
        return None
    newer = [
        minor
        for minor in sorted(plan.other_pythons, key=_number)
        if _number(minor) > _number(plan.python) and _number(minor) >= int(demand.group(1))
    ]
    return _with_python(plan, newer[0], demand.group(0)) if newer else None


def loosen_pin(plan: BuildPlan, failure: Failure) -> RepairedPlan | None:
    """Allow newer versions, then any version; never an older one only because a wheel is missing."""
    if failure.stage != "resolve":
        return None
    wheelless_names = set(distributions_without_wheel(failure))
    candidates = [
        wish
        for wish in blamed_wishes(plan, failure)
        if wish.specifier
        and not (wish.name in wheelless_names and re.fullmatch(r">=?[^,<]+", wish.specifier))
    ]
    for wish in sorted(candidates, key=lambda candidate: candidate.exact is None):
        looser = f">={wish.exact}" if wish.exact else ""
        detail = f"{wish.name}{wish.specifier} -> {wish.name}{looser}"
        return RepairedPlan(plan.with_specifier(wish, looser), detail)
    return None


def _with_python(plan: BuildPlan, python: str, reason: str) -> RepairedPlan:
    other_pythons = tuple(minor for minor in plan.other_pythons if minor != python)
    return RepairedPlan(
        replace(plan, python=python, other_pythons=other_pythons), f"{plan.python} -> {python}: {reason}"
    )


def _number(minor: str) -> int:
    return int(minor.partition(".")[2])


DROP_LOCAL_VERSION = Repair(
    "drop-local-version", "a version is of another index (+cu113)", drop_local_version
)
OTHER_PYTHON = Repair(
    "other-python",
    "a version has no wheel for this Python, a requirement needs a newer one, or code an older one",
    other_python,
)
LOOSEN_PIN = Repair("loosen-pin", "versions are missing, or conflict", loosen_pin)
