"""Reads the variables of a design that was written as free text, as far as it names their roles.

It reads objects with keys such as `independent_variables`, and lines such as "Independent variables: learning
rate (0.1, 0.01); seed". Other text gives no variables: it is kept as it is, for a reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_ROLES = {
    "independent": "independent",
    "dependent": "dependent",
    "constant": "constant",
    "control": "constant",
}
_HEAD = re.compile(
    r"^\W*(?P<role>independent|dependent|constants?|control(?:led)?)\b[ _]?(?:variables?)?\W*?[:\-–]\s*"
    r"(?P<rest>.*)$",
    re.IGNORECASE,
)


def read_design_text(design: object) -> dict[str, Any]:
    """Return the variables by role, as `design.json` has them."""
    roles: dict[str, Any] = {"constant": {}, "independent": {}, "dependent": []}
    for role, name, values in _variables(design):
        if role == "dependent":
            roles[role].append(name)
        else:
            roles[role][name] = values
    return roles


def _variables(design: object) -> Iterator[tuple[str, str, list[Any]]]:
    if isinstance(design, Mapping):
        for key, value in design.items():
            role = _role(str(key))
            if role:
                yield from ((role, name, values) for name, values in _of_role(value))
            elif isinstance(value, Mapping):
                yield from _variables(value)
        return
    lines = design if isinstance(design, list) else str(design).splitlines()
    current = ""
    for line in map(str, lines):
        head = _HEAD.match(line)
        if head:
            current = _role(head["role"])
            parts = re.split(r";|,(?![^()]*\))", head["rest"])
        elif re.match(r"\s*(?:[-*•]|\d+[.)])\s", line) and current:
            parts = [re.sub(r"^\s*(?:[-*•]|\d+[.)])\s*", "", line)]
        else:
            current, parts = "", []
        yield from ((current, *_named(part)) for part in parts if re.search(r"\w", part))


def _role(text: str) -> str:
    first = next(iter(re.findall(r"[a-z]+", text.casefold())), "")
    return next((role for name, role in _ROLES.items() if first.startswith(name)), "")


def _of_role(value: object) -> Iterator[tuple[str, list[Any]]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name), inner if isinstance(inner, list) else [inner]
    else:
        for part in value if isinstance(value, list) else str(value).split(";"):
            yield _named(str(part))


def _named(part: str) -> tuple[str, list[Any]]:
    """Split "learning rate (0.1, 0.01)" or "learning rate: 0.1, 0.01" into a name and values."""
    match = re.match(r"\s*([^(:=]+?)\s*(?:\((.*)\)|[:=]\s*(.*))?[\s.]*$", part)
    if match is None:
        return part.strip(), []
    values = match[2] or match[3] or ""
    return match[1].strip(" *_`"), [value.strip() for value in values.split(",") if value.strip()]
