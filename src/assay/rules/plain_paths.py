"""Which paths of what an agent leaves count: names that are text, and that fit below other folders."""

from __future__ import annotations

LONGEST_PATH = 1_000
"""Bytes of a path that an agent may leave; longer ones might not fit below another folder."""
LONGEST_NAME = 255
"""Bytes of one part of a path that file systems hold."""


def is_plain(path: str) -> bool:
    """Whether an agent's file may have this name: UTF-8, printable, a path inside, and not too long.

    It is asked of every entry of a workspace, so a deep path must cost little: it is searched, and not taken
    apart.
    """
    if len(path) > LONGEST_PATH or not path.isprintable() or "\\" in path:
        return False
    between = f"/{path}/"
    if "//" in between or "/./" in between or "/../" in between:
        return False
    encoded = path.encode()  # text that is printable has no lone surrogates
    return len(encoded) <= LONGEST_PATH and _has_short_parts(encoded)


def _has_short_parts(path: bytes) -> bool:
    """Whether no part of a path is too long; looks only at the last `/` of every 256 bytes."""
    start = 0
    while len(path) - start > LONGEST_NAME:
        start = path.rfind(b"/", start, start + LONGEST_NAME + 1) + 1
        if start == 0:
            return False
    return True
