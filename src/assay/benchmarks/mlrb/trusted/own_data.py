"""Allows training data only from the manifest: a submission contains code, not data.

A build sees only the inputs, which have fixed hashes, and the submission. So these rules limit the data that
the submission itself can contain: only text files, no large files, no long literals, nothing that compresses
worse than text, and a small compressed size of everything together, including file names, comments,
docstrings and settings. Text may be in any language: it counts by its bytes. Not covered: data written as
code or as words. The compressed size keeps it small, and `contamination` searches it for evaluation text.
"""

from __future__ import annotations

import ast
import re
import zlib
from collections.abc import Mapping

from .verdicts import Rule, met, unmet

FILE_BYTES = 64_000
ALL_BYTES = 200_000
PACKED_BYTES = 32_000
"""Of all files together: their information in any form. Code compresses to a quarter or a third."""
STRETCH, DENSE = 4_096, 0.66
"""How far a stretch compresses: code to 0.4, dense prose to 0.6, base64 to 0.76 of its size."""
LITERAL = 2_000
NUMBERS = 2_000
NUMBER_BYTES = 4_000
"""Of all numbers of a file together, when packed: a table of settings has less, weights have more."""
SIGNS = 500
"""Different signs outside ASCII: a language with letters has about 100, Chinese notes have some hundreds."""
STRAY = 20
"""How many unprintable characters are allowed: a byte order mark or a few hard spaces are harmless."""
OPAQUE = re.compile(r"[A-Za-z0-9+/=_-]{400,}|(?:\\x[0-9a-fA-F]{2}){100,}")


def check(files: Mapping[str, bytes], file_bytes: int = FILE_BYTES, all_bytes: int = ALL_BYTES) -> Rule:
    """Check that the files (path → contents) are only code and short text."""
    names = {name: name.encode("utf-8", errors="replace") for name in files}
    total_bytes = sum(len(names[name]) + len(data) for name, data in files.items())
    if total_bytes > all_bytes:
        return unmet(f"{total_bytes} bytes in {len(files)} files, at most {all_bytes} may be")
    for name, data in sorted(files.items()):
        why = _refused(name, data, file_bytes)
        if why:
            return unmet(f"{name}: {why}")
    packed = _packed(b"\n".join(part for name in sorted(files) for part in (names[name], files[name])))
    if packed > PACKED_BYTES:
        return unmet(f"{packed} bytes in {len(files)} files even when packed, at most {PACKED_BYTES} may be")
    return met(f"{total_bytes} bytes of text in {len(files)} files, no data among them")


def _refused(name: str, data: bytes, most: int) -> str | None:
    if len(data) > most:
        return f"{len(data)} bytes, at most {most} may be in a file"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "not UTF-8 text"
    if sum(not (sign.isprintable() or sign in "\n\r\t") for sign in text) > STRAY:
        return "holds signs that are no text"
    signs = len({sign for sign in text if not sign.isascii()})
    if signs > SIGNS:
        return f"holds {signs} different signs that are not ASCII, at most {SIGNS} may be"
    opaque = OPAQUE.search(f"{name}\n{text}")
    if opaque:
        return f"holds encoded data: {opaque.group(0)[:40]}…"
    for at in range(0, len(data) - STRETCH // 2, STRETCH // 2):
        stretch = data[at : at + STRETCH]
        if _packed(stretch) > DENSE * len(stretch):
            return f"holds encoded data from byte {at} on: it does not pack as text does"
    return _literals(text) if name.endswith(".py") else None


def _packed(data: bytes) -> int:
    return len(zlib.compress(data, 9))


def _literals(text: str) -> str | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # Nobody can run it, so it is a note, which counts by its bytes.
    strings = 0
    numbers: list[str] = []
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documented:
            if isinstance(node.value, str | bytes):
                strings += len(node.value)
            elif isinstance(node.value, int | float | complex):
                if _huge(node.value):
                    return "holds a number of more than 256 bits"
                numbers.append(str(node.value))
    if strings > 4 * LITERAL:
        return f"holds {strings} characters in string literals, at most {4 * LITERAL} may be"
    if len(numbers) > NUMBERS:
        return f"holds {len(numbers)} numbers, at most {NUMBERS} may be"
    packed = _packed(" ".join(numbers).encode())
    if packed > NUMBER_BYTES:
        return f"holds numbers of {packed} bytes when packed, at most {NUMBER_BYTES} may be"
    return None


def _huge(value: complex) -> bool:
    return isinstance(value, int) and value.bit_length() > 256
