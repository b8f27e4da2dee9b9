"""Source bytes as the parser sees them, with a map back to the bytes.

`ast` counts columns in UTF-8 bytes for every encoding, so this package measures the UTF-8 text; only its
results count the file's own bytes.
"""

from __future__ import annotations

import ast
import bisect
import codecs
import re
import sys
import tokenize
import warnings
from dataclasses import dataclass

from assay.errors import Unparsable

NEWLINE = re.compile(rb"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class SourceText:
    """One file's text in UTF-8 without its byte order mark."""

    encoding: str
    utf8: bytes
    line_starts: list[int]
    """Start of each line in `utf8`."""
    source_starts: list[int]
    """Start of each line in the file's own bytes."""

    def offset(self, line: int, column: int) -> int:
        """Return the offset in `utf8` of a line (from 1) and a column as `ast` counts them."""
        return self.line_starts[line - 1] + column

    def line(self, offset: int) -> int:
        """Return the line (from 1) of an offset in `utf8`."""
        return bisect.bisect_right(self.line_starts, offset)

    def source_offset(self, offset: int) -> int:
        """Translate an offset in `utf8` into an offset in the file's own bytes."""
        index = bisect.bisect_right(self.line_starts, offset) - 1
        column = offset - self.line_starts[index]
        if self.encoding != "utf-8":
            start = self.line_starts[index]
            column = len(self.utf8[start:offset].decode().encode(self.encoding))
        return self.source_starts[index] + column

    def encode(self, text: str) -> bytes:
        """Encode text in the file's encoding; use escapes for characters that it lacks."""
        return text.encode(self.encoding, errors="backslashreplace")


def read(source: bytes) -> SourceText:
    """Decode as Python does: byte order mark, then the declared encoding, then UTF-8."""
    encoding, text = _decode(source)
    mark = len(codecs.BOM_UTF8) if source.startswith(codecs.BOM_UTF8) else 0
    utf8 = text.encode()
    starts = [0, *(newline.end() for newline in NEWLINE.finditer(utf8))]
    if encoding == "utf-8":
        return SourceText(encoding, utf8, starts, [start + mark for start in starts] if mark else starts)
    return SourceText(encoding, utf8, starts, _encoded_starts(source, utf8, starts, encoding))


def parse(text: SourceText) -> ast.Module:
    """Return the syntax tree, or raise `Unparsable` with the line and the running Python's version."""
    version = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    try:
        with warnings.catch_warnings():
            # Invalid escapes in strings cause warnings, and with -W error a failure.
            warnings.simplefilter("ignore")
            return ast.parse(text.utf8.decode())
    except SyntaxError as error:
        raise Unparsable(f"{version} cannot read line {error.lineno}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unparsable(f"{version} cannot read it: {error or type(error).__name__}") from error


def _decode(source: bytes) -> tuple[str, str]:
    lines = iter([line + b"\n" for line in NEWLINE.split(source, 2)[:2]])
    try:
        declared, _ = tokenize.detect_encoding(lambda: next(lines, b""))
        text = source.decode(declared)
    except SyntaxError as error:
        raise Unparsable(f"its encoding is unknown: {error.msg}") from error
    except (UnicodeError, LookupError) as error:
        raise Unparsable(f"it cannot be decoded: {error}") from error
    return declared.removesuffix("-sig"), text


def _encoded_starts(source: bytes, utf8: bytes, starts: list[int], encoding: str) -> list[int]:
    encoded_starts = [0]
    pieces = []
    try:
        for start, end in zip(starts, [*starts[1:], len(utf8)], strict=True):
            pieces.append(utf8[start:end].decode().encode(encoding))
            encoded_starts.append(encoded_starts[-1] + len(pieces[-1]))
    except UnicodeError as error:
        raise Unparsable(f"it cannot be encoded again: {error}") from error
    if b"".join(pieces) != source:
        raise Unparsable(f"its {encoding} text does not encode back to the same bytes")
    return encoded_starts[:-1]
