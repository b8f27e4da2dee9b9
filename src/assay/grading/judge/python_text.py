"""Python programs as text: the lines and characters that Python itself sees, or why nobody can show them.

A program may name its own encoding, in which bytes that look like a comment are code. It does so in its first
two lines, and Python also ends lines at a carriage return.
"""

from __future__ import annotations

import ast
import codecs
import io
import re
import warnings
from tokenize import detect_encoding

from assay.grading.execution_trace import is_python
from assay.grading.execution_trace.statements import parse, takes_long

PLAIN_ENCODINGS = ("utf-8", "utf-8-sig", "ascii", "iso-8859-1", "iso-8859-15", "cp1252")
"""Encodings of programs in which every byte below 128 means what it shows."""
_FIRST_LINES = 5
_NAMED_ENCODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_PLAIN_END = re.compile(r"(?<!\r)\n")
_NEW_PAGE = re.compile(r"^\f+", re.MULTILINE)
"""Python takes no notice of a form feed at the beginning of a line."""


def python_text(data: bytes, *, keep_ends: bool = False) -> str:
    """A program in the lines that Python sees, decoded as it says itself if that encoding is plain.

    With `keep_ends` line ends that differ from the others are visible.
    """
    encoding = _encoding(data)
    plain = encoding if encoding in PLAIN_ENCODINGS else "utf-8"
    text = data.decode(plain, errors="backslashreplace")
    return python_lines(marked_ends(text).replace("\r", "\\r\n") if keep_ends else text)


def marked_ends(text: str) -> str:
    """A text with plain line ends, in which those that differ from most others are visible.

    A program may tell lines apart by their ends. Single carriage returns stay.
    """
    windows_count = text.count("\r\n")
    plain_count = text.count("\n") - windows_count
    if windows_count > plain_count:
        return _PLAIN_END.sub("\\\\n\n", text).replace("\r\n", "\n")
    return text.replace("\r\n", "\\r\n")


def python_lines(text: str) -> str:
    """A text in the lines that Python sees, without a mark of the byte order."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return _NEW_PAGE.sub("", lines)


def why_other_text(path: str, data: bytes) -> str | None:
    """Why Python may run another text than the one that can be shown, or None."""
    encoding = _encoding(data)
    if encoding not in PLAIN_ENCODINGS:
        return f"encoding {encoding[:40]}"
    if not is_python(path, data):
        return None
    for line in _with_plain_ends(data).split(b"\n", _FIRST_LINES)[:_FIRST_LINES]:
        match = _NAMED_ENCODING.match(line)
        if match is not None and _is_strange(match[1].decode()):
            return f"encoding {match[1].decode()[:40]}"
    return "Python reads other text in it" if _parses_otherwise(data) else None


def _parses_otherwise(data: bytes) -> bool:
    """Whether Python makes another program of the bytes than of the text; False where it makes none.

    Text that takes long to parse cannot be compared, and counts as another.
    """
    text = python_text(data)
    if takes_long(text):
        return True
    tree = parse(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return tree is None or ast.dump(tree) != ast.dump(run)


def _encoding(data: bytes) -> str:
    """The encoding that a program names for itself; UTF-8 where Python does not run it."""
    try:
        return detect_encoding(io.BytesIO(_with_plain_ends(data)).readline)[0]
    except SyntaxError:
        return "utf-8"


def _is_strange(name: str) -> bool:
    """Whether this is an encoding, and one in which text may mean something else than it shows."""
    try:
        return codecs.lookup(name).name not in (*PLAIN_ENCODINGS, "iso8859-1", "iso8859-15")
    except LookupError:
        return False


def _with_plain_ends(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
