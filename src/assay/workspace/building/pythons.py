"""Which Python a repository is run by: what it says, else what was current on the day of its commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from assay.errors import EnvironmentFailed, UsageError
from assay.workspace.building.declared import Declared

_LIVES = {
    "3.6": (date(2016, 12, 23), date(2021, 12, 23)),
    "3.7": (date(2018, 6, 27), date(2023, 6, 27)),
    "3.8": (date(2019, 10, 14), date(2024, 10, 7)),
    "3.9": (date(2020, 10, 5), date(2025, 10, 31)),
    "3.10": (date(2021, 10, 4), date(2026, 10, 31)),
    "3.11": (date(2022, 10, 24), date(2027, 10, 31)),
    "3.12": (date(2023, 10, 2), date(2028, 10, 31)),
    "3.13": (date(2024, 10, 7), date(2029, 10, 31)),
    "3.14": (date(2025, 10, 7), date(2030, 10, 31)),
}
"""The first release of each minor version, and the day after which it was kept no more."""


@dataclass(frozen=True)
class Chosen:
    """A minor version, why, and which others would do, the likeliest first."""

    python: str
    reason: str
    others: tuple[str, ...] = ()


def choose(declared: Declared, day: date, here: Sequence[str], given: str | None = None) -> Chosen:
    """One of the interpreters that are here; `given` is the caller's word and leaves no other."""
    if given is not None:
        return _given(given, here)
    allowed = [each for each in here if _satisfies(each, declared)]
    if not allowed:
        wanted = ", ".join(f"{file}: {text}" for file, text in declared.requires_python)
        raise EnvironmentFailed(
            f"no Python here satisfies {wanted}; here are {', '.join(here) or 'none'}",
            hint="install one (`uv python install 3.9`), or name one of these with --python",
        )
    first, reason = _likeliest(declared, day, allowed)
    others = sorted((each for each in allowed if each != first), key=lambda each: _distance(each, first))
    return Chosen(first, reason, tuple(others))


def current(day: date) -> str:
    """The oldest Python that was still kept on that day."""
    return next((minor for minor, (_, end) in _LIVES.items() if end >= day), "3.14")


def _likeliest(declared: Declared, day: date, allowed: list[str]) -> tuple[str, str]:
    for file, named in declared.names_python:
        minor = ".".join(named.split(".")[:2])
        if minor in allowed:
            return minor, f"{file} names {minor}"
        newer = [each for each in allowed if _number(each) > _number(minor)]
        if newer:
            return newer[0], f"{file} names {minor}, which is not here; {newer[0]} is the next"
    listed = [each for each in allowed if each in declared.classifiers] or allowed
    by_date = current(day)
    said = "; ".join(f"{file} asks for {text}" for file, text in declared.requires_python)
    told = f"{said}; " if said else ""
    for each in listed:
        if _number(each) >= _number(by_date):
            return each, f"{told}{by_date} was the oldest kept on {day}"
    return listed[-1], f"{told}the newest that its files allow"


def _given(given: str, here: Sequence[str]) -> Chosen:
    minor = ".".join(given.split(".")[:2])
    if minor not in here:
        raise UsageError(
            f"Python {given!r} is not here; here are {', '.join(here)}",
            hint=f"install it (`uv python install {minor}`) or name another with --python",
        )
    return Chosen(minor, "given by --python")


def _satisfies(minor: str, declared: Declared) -> bool:
    """Whether any release of a minor version satisfies every specifier that can be read."""
    for _, text in declared.requires_python:
        try:
            specifier = SpecifierSet(text)
        except InvalidSpecifier:
            continue
        if not any(specifier.contains(f"{minor}.{patch}") for patch in (0, 5, 10, 30)):
            return False
    return True


def _number(minor: str) -> int:
    return int(minor.partition(".")[2])


def _distance(minor: str, other: str) -> tuple[int, int]:
    """Nearest first, the newer of two that are equally near."""
    return abs(_number(minor) - _number(other)), -_number(minor)
