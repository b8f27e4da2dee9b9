"""Python programs as text: the lines and characters that Python itself sees, or why nobody can show them.

A program may name its own encoding, in which bytes that look like a comment are code. It does so in its first
two lines, and Python also ends lines at a carriage return.
"""

from __future__ import annotations

import codecs
import io
import re
from tokenize import detect_encoding

from assay.grading.execution_trace import is_python
from assay.grading.execution_trace.statements import are_same, parse, parse_at_length, takes_long
from assay.printable import as_mark, encodable

PLAIN_ENCODINGS = ("utf-8", "utf-8-sig", "ascii", "iso-8859-1", "iso-8859-15", "cp1252")
"""Encodings of programs in which every byte below 128 means what it shows."""
_FIRST_LINES = 5
_NAMED_ENCODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_PLAIN_END = re.compile(r"(?<!\r)\n")
_NEW_PAGE = re.compile(r"(?<![^\r\n])\f+")
"""Python takes no notice of a form feed at the beginning of a line."""
CARRIAGE_RETURN = as_mark("CR")
PLAIN_END, WINDOWS_END = "LF", "CR LF"


def python_text(data: bytes) -> str:
    """A program in the lines that Python sees, decoded as it says itself if that encoding is plain."""
    return _plain_ends(python_characters(data))


def python_characters(data: bytes) -> str:
    """The same with the line ends of the file. Bytes that are no text stay half characters."""
    encoding = _encoding(data)
    plain = encoding if encoding in PLAIN_ENCODINGS else "utf-8"
    return _without_pages(data.decode(plain, errors="surrogateescape"))


def marked_ends(text: str) -> str:
    """A text with plain line ends, in which those that differ from most others have a mark.

    A program may tell lines apart by their ends. A single carriage return ends a line and always has a mark.
    """
    if usual_end(text) == WINDOWS_END:
        text = _PLAIN_END.sub(as_mark(PLAIN_END) + "\n", text).replace("\r\n", "\n")
    else:
        text = text.replace("\r\n", as_mark(WINDOWS_END) + "\n")
    return text.replace("\r", CARRIAGE_RETURN + "\n")


def usual_end(text: str) -> str:
    """The name of the line end that most lines of a text have."""
    windows_count = text.count("\r\n")
    plain_count = text.count("\n") - windows_count
    return WINDOWS_END if windows_count > plain_count else PLAIN_END


def python_lines(text: str) -> str:
    """A text in the lines that Python sees, without a mark of the byte order."""
    return _plain_ends(_without_pages(text))


def _without_pages(text: str) -> str:
    return _NEW_PAGE.sub("", text.removeprefix("\ufeff"))


def _plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


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
    text = encodable(python_text(data))
    if takes_long(text):
        return True
    run = parse_at_length(data)
    if run is None:
        return False
    tree = parse(text)
    return tree is None or not are_same(tree, run)


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
