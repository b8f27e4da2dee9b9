"""Chooses the Python of a repository: the one in its files, else one supported on the day of its commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from assay.errors import EnvironmentFailed, UsageError
from assay.workspace.building.declared import Declared

_SUPPORT_PERIODS = {
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
"""First release of each minor version, and the last day of its support."""


@dataclass(frozen=True)
class ChosenPython:
    """A minor version, the reason, and other possible versions, the most likely first."""

    python: str
    reason: str
    other_pythons: tuple[str, ...] = ()


def choose_python(
    declared: Declared, day: date, installed: Sequence[str], requested: str | None = None
) -> ChosenPython:
    """Choose one of the installed interpreters; `requested` is the user's choice and allows no other."""
    if requested is not None:
        return _requested_python(requested, installed)
    allowed = [minor for minor in installed if _satisfies(minor, declared)]
    if not allowed:
        specifiers = ", ".join(f"{file}: {text}" for file, text in declared.requires_python)
        raise EnvironmentFailed(
            f"no installed Python satisfies {specifiers}; installed are {', '.join(installed) or 'none'}",
            hint="install one (`uv python install 3.9`), or choose one of these with --python",
        )
    best, reason = _most_likely(declared, day, allowed)
    other_pythons = sorted(
        (minor for minor in allowed if minor != best), key=lambda minor: _distance(minor, best)
    )
    return ChosenPython(best, reason, tuple(other_pythons))


def oldest_supported(day: date) -> str:
    """Return the oldest Python that was still supported on that day."""
    return next((minor for minor, (_, end) in _SUPPORT_PERIODS.items() if end >= day), "3.14")


def _most_likely(declared: Declared, day: date, allowed: list[str]) -> tuple[str, str]:
    for file, version in declared.names_python:
        minor = ".".join(version.split(".")[:2])
        if minor in allowed:
            return minor, f"{file} names {minor}"
        newer_minors = [candidate for candidate in allowed if _number(candidate) > _number(minor)]
        if newer_minors:
            return newer_minors[
                0
            ], f"{file} names {minor}, which is not installed; {newer_minors[0]} is the next"
    candidates = [candidate for candidate in allowed if candidate in declared.classifiers] or allowed
    by_date = oldest_supported(day)
    constraints = "; ".join(f"{file} asks for {text}" for file, text in declared.requires_python)
    prefix = f"{constraints}; " if constraints else ""
    for candidate in candidates:
        if _number(candidate) >= _number(by_date):
            return candidate, f"{prefix}{by_date} was the oldest supported version on {day}"
    return candidates[-1], f"{prefix}the newest version that its files allow"


def _requested_python(requested: str, installed: Sequence[str]) -> ChosenPython:
    minor = ".".join(requested.split(".")[:2])
    if minor not in installed:
        raise UsageError(
            f"Python {requested!r} is not installed; installed are {', '.join(installed)}",
            hint=f"install it (`uv python install {minor}`) or choose another with --python",
        )
    return ChosenPython(minor, "set by --python")


def _satisfies(minor: str, declared: Declared) -> bool:
    """True if a release of the minor version satisfies every readable specifier."""
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


def _distance(minor: str, reference: str) -> tuple[int, int]:
    """Sort key: nearest version first; of two equally near versions the newer."""
    return abs(_number(minor) - _number(reference)), -_number(minor)
