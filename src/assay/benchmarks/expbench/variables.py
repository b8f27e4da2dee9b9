"""The published design of an experiment: its variables, their roles and values, in whatever form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.tasks.truth import Role, Value

ROLES: tuple[Role, ...] = ("constant", "independent", "dependent")

Complaint = tuple[Literal["wrapped", "ambiguity", "roles"], str]


@dataclass(frozen=True, slots=True)
class DesignVariable:
    """One variable; what a dependent one is measured by stands among its values."""

    name: str
    role: Role
    values: tuple[Value, ...]


def read_variables(design: Any) -> tuple[tuple[DesignVariable, ...], list[Complaint]]:
    """The variables of a published design, and what was odd about it."""
    complaints: list[Complaint] = []
    if isinstance(design, dict) and len(design) == 1 and not _roles(design):
        [(key, design)] = design.items()
        complaints.append(("wrapped", f"the design stands in a second key, {key!r}"))
    if not isinstance(design, dict) or not _roles(design):
        held = ", ".join(design) if isinstance(design, dict) else type(design).__name__
        complaints.append(("ambiguity", f"the design holds no variables, but {held}: it cannot be graded"))
        return (), complaints
    found = tuple(_variables(design))
    names = [each.name for each in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        complaints.append(("roles", f"stands in two roles: {', '.join(twice)}"))
    return found, complaints


def _roles(design: Mapping[str, Any]) -> bool:
    return any(f"{role}_variables" in design for role in ROLES)


def _variables(design: Mapping[str, Any]) -> Iterator[DesignVariable]:
    for role in ROLES:
        named = design.get(f"{role}_variables") or {}
        for name, value in (named if isinstance(named, dict) else dict.fromkeys(named)).items():
            yield DesignVariable(str(name), role, tuple(_values(value)))


def _values(value: Any) -> Iterator[Value]:
    if isinstance(value, dict):
        for key, inner in value.items():
            told = ", ".join(map(str, inner)) if isinstance(inner, list) else inner
            yield f"{key}: {told}"
    elif isinstance(value, list):
        for each in value:
            yield each if isinstance(each, str | int | float | bool) else str(each)
    elif value is not None:
        yield value if isinstance(value, str | int | float | bool) else str(value)
