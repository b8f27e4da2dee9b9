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


def read_json(data: bytes | str) -> Any:
    """The value; ValueError (TooDeep among them) says in one line what is wrong."""
    try:
        value = json.loads(data)
    except RecursionError:
        raise TooDeep from None
    return _checked(value)


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
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return value
    raise TooDeep
