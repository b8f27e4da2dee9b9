"""Training data only from the manifest: a submission brings code, not data.

Inputs come under their hash and are all that a build sees besides the submission, so what is left is to
bound what the submission itself can carry: no files but text, no large ones, no long literals. Not covered:
data written as code, which the bound on all bytes keeps small, and which `contamination` reads for
evaluation text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from .verdicts import Rule, met, unmet

FILE_BYTES = 64_000
ALL_BYTES = 200_000
LITERAL = 2_000
NUMBERS = 500
OPAQUE = re.compile(r"[A-Za-z0-9+/=_-]{400,}|(?:\\x[0-9a-fA-F]{2}){100,}")


def check(files: Mapping[str, bytes], file_bytes: int = FILE_BYTES, all_bytes: int = ALL_BYTES) -> Rule:
    """Whether the files, by their path, are nothing but code and short text."""
    whole = sum(map(len, files.values()))
    if whole > all_bytes:
        return unmet(f"{whole} bytes in {len(files)} files, at most {all_bytes} may be")
    for name, data in sorted(files.items()):
        why = _refused(name, data, file_bytes)
        if why:
            return unmet(f"{name}: {why}")
    return met(f"{whole} bytes of text in {len(files)} files, no data among them")


def _refused(name: str, data: bytes, most: int) -> str | None:
    if len(data) > most:
        return f"{len(data)} bytes, at most {most} may be in a file"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "not UTF-8 text"
    if sum(not (sign.isprintable() or sign in "\n\r\t") for sign in text):
        return "holds signs that are no text"
    if len(re.findall(r"[^\x00-\x7f]", text)) > 200:
        return "holds many signs that are not ASCII, where data can hide"
    opaque = OPAQUE.search(text)
    if opaque:
        return f"holds encoded data: {opaque.group(0)[:40]}…"
    return _literals(text) if name.endswith(".py") else None


def _literals(text: str) -> str | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "is not Python that parses"
    strings = numbers = 0
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documented:
            if isinstance(node.value, str | bytes):
                strings += len(node.value)
            elif isinstance(node.value, int | float | complex):
                numbers += 1 + len(str(node.value)) // 20 if not _huge(node.value) else NUMBERS + 1
    if strings > 4 * LITERAL:
        return f"holds {strings} characters in string literals, at most {4 * LITERAL} may be"
    return f"holds {numbers} numbers, at most {NUMBERS} may be" if numbers > NUMBERS else None


def _huge(value: complex) -> bool:
    return isinstance(value, int) and value.bit_length() > 256
