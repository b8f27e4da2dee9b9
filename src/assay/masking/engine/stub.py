"""Writes the stub that replaces a masked function."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from assay.masking.engine.extents import Extent
from assay.masking.engine.masked_source import Piece
from assay.masking.engine.parsing import SourceText

Keep = Literal["signature", "docstring"]

_LINE_BREAK = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")

_Change = tuple[int, int, str]
"""Start, end and new text of a change, in the UTF-8 text."""


def pieces(
    source: bytes, text: SourceText, name: str, extent: Extent, keep: Keep, notes: Mapping[str, str]
) -> list[Piece]:
    """Return the replacements that turn one function into a stub; `notes` become comments above it."""
    docstring = extent.docstring if keep == "docstring" else None
    lines = [*_comments(notes), f'raise NotImplementedError("masked: {name}")']
    if extent.inline and not notes:
        changes = [_one_liner(extent, docstring, lines[0])]
    else:
        changes = _block(text, extent, docstring, lines)
    return [piece(source, text, name, *change) for change in changes]


def piece(source: bytes, text: SourceText, name: str, first: int, last: int, new: str) -> Piece:
    """Return the replacement of one range of the UTF-8 text, in the file's own bytes."""
    start, end = text.source_offset(first), text.source_offset(last)
    return Piece(name, start, source[start:end], text.encode(new))


def _one_liner(extent: Extent, docstring: tuple[int, int] | None, stub: str) -> _Change:
    if docstring is not None:
        return docstring[1], extent.end, f"; {stub}"
    return extent.body_start, extent.end, stub


def _block(
    text: SourceText, extent: Extent, docstring: tuple[int, int] | None, lines: Sequence[str]
) -> list[_Change]:
    newline = extent.newline.decode()
    indentation = extent.indentation.decode()
    body = newline.join(indentation + line for line in lines)
    if docstring is None:
        if extent.inline:
            return [(extent.header_end, extent.end, newline + body)]
        return [(extent.body_start, extent.end, body)]
    stub_change = (docstring[1], extent.end, newline + body)
    if extent.inline:
        return [(extent.header_end, docstring[0], newline + indentation), stub_change]
    if text.utf8[extent.body_start : extent.first_line].strip():
        return [(extent.body_start, extent.first_line, ""), stub_change]
    return [stub_change]


def _comments(notes: Mapping[str, str]) -> list[str]:
    comments = []
    for label, note in notes.items():
        comment = _CONTROL.sub(" ", _LINE_BREAK.sub("\n", f"{label}: {note.strip()}"))
        comments += [f"# {line}".rstrip() for line in comment.split("\n")]
    return comments
