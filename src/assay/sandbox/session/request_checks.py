"""Refuses requests that no system call can execute, with the reason, before they reach a sandbox.

A model can send such a request by accident. It gets an error as its answer, and its sandbox continues.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from assay.errors import BadRequest

MAX_COMMAND_BYTES = 8 * 2**20
"""Of a command with its variables; Linux accepts less, and reports its own limit."""
MAX_PATH_BYTES = 4096


def check_command(command: Sequence[str], cwd: str, variables: Mapping[str, str]) -> None:
    """Raise BadRequest if no process could start like this."""
    if not command:
        raise BadRequest("the command is empty: expected a program and its arguments")
    size = sum(_byte_count(f"argument {number} of the command", word) for number, word in enumerate(command))
    check_path(cwd)
    for name, value in variables.items():
        size += _byte_count("the name of an environment variable", name) + _byte_count(
            f"the variable {name!r}", value
        )
        if not name or "=" in name:
            raise BadRequest(f"{name!r} is no name of an environment variable: it is empty or contains '='")
    if size > MAX_COMMAND_BYTES:
        raise BadRequest(
            f"the command has {size:,} bytes, more than any system accepts: "
            "write a file and run it, or send the text as input"
        )


def check_path(path: str) -> None:
    """Raise BadRequest if no file could have this path."""
    if _byte_count("the path", path) >= MAX_PATH_BYTES:
        raise BadRequest(f"the path has {len(path):,} characters, more than any path can have")


def encode_utf8(label: str, text: str) -> bytes:
    """Encode text as UTF-8; raise BadRequest if it contains half a character."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadRequest(_half_character_message(label, text, error)) from None


def _byte_count(label: str, text: object) -> int:
    if not isinstance(text, str):
        raise BadRequest(f"{label} is of type {type(text).__name__}: expected text")
    if "\0" in text:
        raise BadRequest(f"{label} contains a NUL byte at character {text.index(chr(0))}: remove it")
    try:
        return len(os.fsencode(text))
    except UnicodeEncodeError as error:
        raise BadRequest(_half_character_message(label, text, error)) from None


def _half_character_message(label: str, text: str, error: UnicodeEncodeError) -> str:
    character = ascii(text[error.start])
    return (
        f"{label} contains half a character ({character} at character {error.start}): send whole characters"
    )
