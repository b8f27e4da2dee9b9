"""Repairs of versions that cannot be had together, or not under this Python."""

from __future__ import annotations

import re
from dataclasses import replace

from assay.workspace.building.plan import Failure, Mended, Plan, Repair
from assay.workspace.building.repairs.blame import blamed, wheelless
from assay.workspace.building.resolving import has_wheel

_PYTHON = re.compile(r"does not satisfy Python|depends on Python")
_NEEDS_OLDER = re.compile(
    r"cannot import name '\w+' from 'collections'|No module named '(?:distutils|imp|asynchat|asyncore)'"
    r"|module 'pkgutil' has no attribute 'ImpImporter'|module 'inspect' has no attribute 'getargspec'"
)


def drop_local_version(plan: Plan, failure: Failure) -> Mended | None:
    """`torch==1.10.0+cu113` is the same release as 1.10.0, built for other hardware."""
    for wish in blamed(plan, failure):
        if "+" in wish.specifier:
            plain = re.sub(r"\+[\w.]+", "", wish.specifier)
            return Mended(plan.respecified(wish, plain), f"{wish.line} -> {wish.name}{plain}")
    return None


def other_python(plan: Plan, failure: Failure) -> Mended | None:
    """The Python for which the authors' version has a wheel is most likely theirs."""
    if failure.stage == "resolve":
        without = set(wheelless(failure))
        pinned = [wish for wish in blamed(plan, failure) if wish.name in without and wish.specifier]
        if not pinned and _PYTHON.search(failure.message):
            pinned = [wish for wish in blamed(plan, failure) if wish.specifier]
        for wish in pinned[:1]:
            for python in plan.others:
                if has_wheel(wish, plan, python):
                    return _under(plan, python, f"{wish.line} has a wheel there")
    elif found := _NEEDS_OLDER.search(failure.message):
        older = [each for each in plan.others if _number(each) < _number(plan.python)]
        if older:
            return _under(plan, older[0], found.group(0))
    return None


def loosen_pin(plan: Plan, failure: Failure) -> Mended | None:
    """First "this or newer" in place of "exactly this", then any; never older for want of a wheel alone."""
    if failure.stage != "resolve":
        return None
    without = set(wheelless(failure))
    guilty = [
        wish
        for wish in blamed(plan, failure)
        if wish.specifier and not (wish.name in without and re.fullmatch(r">=?[^,<]+", wish.specifier))
    ]
    for wish in sorted(guilty, key=lambda each: each.exact is None):
        looser = f">={wish.exact}" if wish.exact else ""
        told = f"{wish.name}{wish.specifier} -> {wish.name}{looser}"
        return Mended(plan.respecified(wish, looser), told)
    return None


def _under(plan: Plan, python: str, why: str) -> Mended:
    others = tuple(each for each in plan.others if each != python)
    return Mended(replace(plan, python=python, others=others), f"{plan.python} -> {python}: {why}")


def _number(minor: str) -> int:
    return int(minor.partition(".")[2])


DROP_LOCAL_VERSION = Repair(
    "drop-local-version", "a version is of another index (+cu113)", drop_local_version
)
OTHER_PYTHON = Repair(
    "other-python", "a version has no wheel for this Python, or its code needs an older one", other_python
)
LOOSEN_PIN = Repair("loosen-pin", "versions cannot be had, or not together", loosen_pin)
