"""Text that every log and every service can hold: half characters are spelled out where a model sent them.

A model can send one half of a pair of surrogates in JSON. No UTF-8 text can hold it, so neither the next
request nor the log could be written, and every attempt of the same log would be lost with this one.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from pydantic import BaseModel


def encodable(text: str) -> str:
    """The same text with half characters as escapes, such as \\ud83d."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text


def make_encodable(value: Any) -> Any:
    """Replace half characters everywhere in a value, in place where that can be; the value."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        for key in list(value):
            if isinstance(key, str) and encodable(key) != key:
                value[encodable(key)] = value.pop(key)
        _replace(value, value.items())
    elif isinstance(value, list):
        _replace(value, enumerate(value))
    elif type(value) is tuple:
        return tuple(make_encodable(part) for part in value)
    elif isinstance(value, BaseModel) or (dataclasses.is_dataclass(value) and hasattr(value, "__dict__")):
        _replace(value.__dict__, value.__dict__.items())
        make_encodable(getattr(value, "__pydantic_extra__", None))
    return value


def _replace(holder: Any, parts: Any) -> None:
    for key, part in list(parts):
        if (cleaned := make_encodable(part)) is not part:
            holder[key] = cleaned
