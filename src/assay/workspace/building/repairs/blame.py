"""Reads out of uv's messages which distributions stand in the way."""

from __future__ import annotations

import re

from packaging.utils import canonicalize_name

from assay.workspace.building.plan import Failure, Plan
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


def blamed(plan: Plan, failure: Failure) -> list[Wish]:
    """The plan's wishes that a message speaks of, in the order in which it names them."""
    text = failure.message.partition("hint:")[0]
    named = dict.fromkeys(canonicalize_name(word) for word in _WORD.findall(text))
    return [wish for name in named for wish in plan.named(name)]


def absent(failure: Failure) -> list[str]:
    """Distributions that the index does not know."""
    return _names(_ABSENT, failure)


def unreleased(failure: Failure) -> list[str]:
    """Distributions of which no fitting version was there at the cut-off."""
    return _names(_NO_VERSION, failure)


def wheelless(failure: Failure) -> list[str]:
    """Distributions without a wheel for this Python and machine."""
    return [*_names(_WANTS_WHEEL, failure), *_names(_NO_WHEEL, failure)]


def for_other_machines(failure: Failure) -> list[str]:
    """Distributions whose wheels are all for other machines than this one."""
    return _names(_NOT_HERE, failure)


def unbuilt(failure: Failure) -> list[str]:
    """Distributions whose build broke, or that have nothing to build from."""
    return [*_names(_UNBUILT, failure), *_names(_NO_SOURCE, failure)]


def _names(pattern: re.Pattern[str], failure: Failure) -> list[str]:
    return list(dict.fromkeys(canonicalize_name(name) for name in pattern.findall(failure.message)))
