"""Reads from uv's messages which distributions cause a failure."""

from __future__ import annotations

import re

from packaging.utils import canonicalize_name

from assay.workspace.building.plan import BuildPlan, Failure
from assay.workspace.building.wishes import Wish

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]|[A-Za-z0-9]")
_ABSENT = re.compile(r"([\w.-]+) was not found in the (?:package registry|provided package locations)")
_NO_VERSION = re.compile(r"there (?:is no version|are no versions) of ([\w.-]+)")
_NAME = r"([A-Za-z0-9][A-Za-z0-9._-]*)"
_NO_WHEEL = re.compile(rf"{_NAME}(?:[<>=!~]\S*)? ha(?:s|ve) no (?:usable wheels|wheels with a matching)")
_NOT_HERE = re.compile(rf"{_NAME}(?:[<>=!~]\S*)? ha(?:s|ve) no wheels with a matching platform tag")
_NO_SOURCE = re.compile(rf"{_NAME}(?:[<>=!~]\S*)? ha(?:s|ve) no source distribution")
_WANTS_WHEEL = re.compile(r"Wheels are required for `([\w.-]+)`")
_UNBUILT = re.compile(r"Failed to (?:download and )?build:? `([\w.-]+?)(?:==[^`]*)?`")


def blamed_wishes(plan: BuildPlan, failure: Failure) -> list[Wish]:
    """Return the plan's wishes that a message names, in its order."""
    text = failure.message.partition("hint:")[0]
    names = dict.fromkeys(canonicalize_name(word) for word in _WORD.findall(text))
    return [wish for name in names for wish in plan.wishes_for(name)]


def missing_distributions(failure: Failure) -> list[str]:
    """Return the distributions that the index does not have."""
    return _names(_ABSENT, failure)


def unreleased_distributions(failure: Failure) -> list[str]:
    """Return the distributions that had no matching version at the cut-off date."""
    return _names(_NO_VERSION, failure)


def distributions_without_wheel(failure: Failure) -> list[str]:
    """Return the distributions without a wheel for this Python and machine."""
    return [*_names(_WANTS_WHEEL, failure), *_names(_NO_WHEEL, failure)]


def for_other_machines(failure: Failure) -> list[str]:
    """Return the distributions whose wheels are all for other machines."""
    return _names(_NOT_HERE, failure)


def unbuilt_distributions(failure: Failure) -> list[str]:
    """Return the distributions whose build failed, or that have no source distribution."""
    return [*_names(_UNBUILT, failure), *_names(_NO_SOURCE, failure)]


def _names(pattern: re.Pattern[str], failure: Failure) -> list[str]:
    return list(dict.fromkeys(canonicalize_name(name) for name in pattern.findall(failure.message)))
