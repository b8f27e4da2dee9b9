"""Requests that no system call can carry out are refused here, with the reason, before they reach a sandbox.

A model can send such a request by accident. It gets an error as its answer, and its sandbox goes on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from assay.errors import BadRequest

MOST_BYTES = 8 * 2**20
"""Of a command with its variables; Linux takes less, and says itself where its limit lies."""
LONGEST_PATH = 4096


def check_command(command: Sequence[str], cwd: str, variables: Mapping[str, str]) -> None:
    """Raise BadRequest where no process could be started like this."""
    if not command:
        raise BadRequest("the command is empty: expected a program and its arguments")
    size = sum(_bytes(f"argument {number} of the command", word) for number, word in enumerate(command))
    check_path(cwd)
    for name, value in variables.items():
        size += _bytes("the name of an environment variable", name) + _bytes(f"the variable {name!r}", value)
        if not name or "=" in name:
            raise BadRequest(f"{name!r} cannot name an environment variable: it is empty or holds '='")
    if size > MOST_BYTES:
        raise BadRequest(
            f"the command has {size:,} bytes, more than any system takes: "
            "write a file and run it, or send the text as input"
        )


def check_path(path: str) -> None:
    """Raise BadRequest where no file could have this name."""
    if _bytes("the path", path) >= LONGEST_PATH:
        raise BadRequest(f"the path has {len(path):,} characters, more than any file's can have")


def encoded(what: str, text: str) -> bytes:
    """Text as UTF-8; raise BadRequest where it holds half a character."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadRequest(_half(what, text, error)) from None


def _bytes(what: str, text: object) -> int:
    if not isinstance(text, str):
        raise BadRequest(f"{what} is of type {type(text).__name__}: expected text")
    if "\0" in text:
        raise BadRequest(f"{what} holds a NUL byte at character {text.index(chr(0))}: leave it out")
    try:
        return len(os.fsencode(text))
    except UnicodeEncodeError as error:
        raise BadRequest(_half(what, text, error)) from None


def _half(what: str, text: str, error: UnicodeEncodeError) -> str:
    character = ascii(text[error.start])
    return f"{what} holds half a character ({character} at character {error.start}): send whole characters"
