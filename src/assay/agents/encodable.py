"""Values that every log and every service can hold: no half characters, no bytes, nothing very deep or long.

A model can send one half of a pair of surrogates in JSON, or lists inside lists, hundreds of them. No UTF-8
text can hold the first, and no log the second, so neither the next request nor the log could be written, and
every attempt of the same log would be lost with this one.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from pydantic import BaseModel

from assay.printable import encodable

DEEPEST = 150
"""Levels that are kept; Inspect writes no log of a value with about 250."""
CUT = "… (nested too deep)"
LARGEST_BITS = 3_000
"""Integers with more bits, about 900 digits, become text: Python writes longer ones than it reads."""


def make_encodable(value: Any, depth: int = 0) -> Any:
    """Replace what no log holds in a value, in place if possible; the value."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    if isinstance(value, int) and value.bit_length() > LARGEST_BITS:
        return hex(value)
    if isinstance(value, dict | list | tuple | BaseModel) and depth > DEEPEST:
        return CUT
    if isinstance(value, dict):
        for key in list(value):
            if isinstance(key, str) and encodable(key) != key:
                value[encodable(key)] = value.pop(key)
        _replace(value, value.items(), depth)
    elif isinstance(value, list):
        _replace(value, enumerate(value), depth)
    elif type(value) is tuple:
        return tuple(make_encodable(part, depth + 1) for part in value)
    elif isinstance(value, BaseModel) or (dataclasses.is_dataclass(value) and hasattr(value, "__dict__")):
        _replace(value.__dict__, value.__dict__.items(), depth)
        make_encodable(getattr(value, "__pydantic_extra__", None), depth)
    return value


def _replace(holder: Any, parts: Any, depth: int) -> None:
    for key, part in list(parts):
        if (cleaned := make_encodable(part, depth + 1)) is not part:
            holder[key] = cleaned
