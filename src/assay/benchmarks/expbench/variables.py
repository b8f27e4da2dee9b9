"""Reads the published design of an experiment: its variables, roles and values, in any form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.tasks.truth import Role, Value

ROLES: tuple[Role, ...] = ("constant", "independent", "dependent")

Complaint = tuple[Literal["wrapped", "ambiguity", "roles"], str]


@dataclass(frozen=True, slots=True)
class DesignVariable:
    """One variable; the values of a dependent variable say how it is measured."""

    name: str
    role: Role
    values: tuple[Value, ...]


def read_variables(design: Any) -> tuple[tuple[DesignVariable, ...], list[Complaint]]:
    """Return the variables of a published design, and what is odd about it."""
    complaints: list[Complaint] = []
    if isinstance(design, dict) and len(design) == 1 and not _roles(design):
        [(key, design)] = design.items()
        complaints.append(("wrapped", f"the design stands in a second key, {key!r}"))
    if not isinstance(design, dict) or not _roles(design):
        content = ", ".join(design) if isinstance(design, dict) else type(design).__name__
        complaints.append(("ambiguity", f"the design holds no variables, but {content}: it cannot be graded"))
        return (), complaints
    variables = tuple(_variables(design))
    names = [variable.name for variable in variables]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        complaints.append(("roles", f"stands in two roles: {', '.join(duplicates)}"))
    return variables, complaints


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
            text = ", ".join(map(str, inner)) if isinstance(inner, list) else inner
            yield f"{key}: {text}"
    elif isinstance(value, list):
        for element in value:
            yield element if isinstance(element, str | int | float | bool) else str(element)
    elif value is not None:
        yield value if isinstance(value, str | int | float | bool) else str(value)
