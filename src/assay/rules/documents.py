"""JSON and TOML that a stranger wrote, read within bounds: one clear error instead of a broken reader."""

from __future__ import annotations

import json
import tomllib
from typing import Any

MOST_DEPTH = 100
"""Levels of lists and tables inside each other; no file of ours has ten."""


class TooDeep(ValueError):
    """A file whose lists and tables are nested deeper than any reader should follow."""

    def __init__(self) -> None:
        super().__init__(f"its lists and tables are nested more than {MOST_DEPTH} deep")


def read_json(data: bytes | str, *, unique_names: bool = False) -> Any:
    """The value; ValueError (TooDeep among them) says in one line what is wrong.

    Of two entries with one name JSON takes the last; with `unique_names` they are refused.
    """
    try:
        value = json.loads(data, object_pairs_hook=_unique if unique_names else None)
    except RecursionError:
        raise TooDeep from None
    except json.JSONDecodeError as error:
        raise _explained(error) from None
    return _checked(value)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for name, value in pairs:
        if name in entries:
            raise ValueError(f"the name {name[:80]!r} stands twice in one object")
        entries[name] = value
    return entries


def _explained(error: json.JSONDecodeError) -> json.JSONDecodeError:
    """The same error; where a comma too many is the cause, it says so and stands at the comma."""
    at_comma = error.doc[error.pos : error.pos + 1] == ","
    before = error.doc[: error.pos + at_comma].rstrip()
    following = error.doc[error.pos + at_comma :].lstrip()[:1]
    if not before.endswith(",") or following not in ("}", "]"):
        return error
    comma = len(before) - 1
    last = before[:comma].rstrip().rpartition("\n")[2].strip()[-40:]
    return json.JSONDecodeError(f"remove the comma after {last}", error.doc, comma)


def read_toml(text: str) -> dict[str, Any]:
    """The table; ValueError (TooDeep among them) says in one line what is wrong."""
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise TooDeep from None
    _checked(table)
    return table


def _checked(value: Any) -> Any:
    """The value itself, if it is not too deep; level by level, since a recursion could break off too."""
    level = [value]
    for _ in range(MOST_DEPTH):
        level = [
            inner
            for part in level
            if isinstance(part, dict | list)
            for inner in (part.values() if isinstance(part, dict) else part)
        ]
        if not level:
            return value
    raise TooDeep
