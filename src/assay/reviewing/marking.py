"""Texts as the page shows them: passages marked, long ones cut, characters that deceive made visible.

The texts come from papers and agents, so they may try to mislead the reader or the browser. The templates
escape all of them; here hidden and direction-changing characters become visible signs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

MOST_TEXT = 60_000
"""Characters of one text that the page shows."""
MOST_LINE = 400
"""Characters of one line of code, or of a cell."""
_AROUND = 20_000
_LONGEST_REST = 4_000
"""Characters that a cut quote is extended by."""


class TextPart(NamedTuple):
    """A part of a text, marked or plain."""

    text: str
    marked: bool


def find_passage(text: str, passage: str) -> tuple[int, int] | None:
    """Find a quoted passage, whatever its spaces and line breaks are; a quote may end with an ellipsis."""
    words = passage.rstrip("…").split()
    if not words:
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    if match is None:
        return None
    end = match.end()
    if passage.endswith("…"):
        # The quote was cut, so the evidence goes on to the end of the paragraph.
        paragraph_end = text.find("\n\n", end)
        end = min(len(text) if paragraph_end < 0 else paragraph_end, end + _LONGEST_REST)
    return match.start(), end


def text_parts(text: str, marks: Sequence[str]) -> list[TextPart]:
    """Split a text at its marked passages; what is far from all of them is left out of a very long text."""
    spans = sorted(span for mark in marks if (span := find_passage(text, mark)) is not None)
    start, end = _window(len(text), spans[0] if spans else (0, 0))
    parts: list[TextPart] = []
    if start > 0:
        parts.append(TextPart(f"[{start:,} characters are not shown] ", False))
    at = start
    for first, last in spans:
        if first < at or first >= end:
            continue
        stop = min(last, end)
        parts += [TextPart(text[at:first], False), TextPart(text[first:stop], True)]
        at = stop
    parts.append(TextPart(text[at:end], False))
    if end < len(text):
        parts.append(TextPart(f" [{len(text) - end:,} characters are not shown]", False))
    return [TextPart(visible(part.text), part.marked) for part in parts if part.text]


def _window(length: int, span: tuple[int, int]) -> tuple[int, int]:
    if length <= MOST_TEXT:
        return 0, length
    start = max(0, span[0] - _AROUND)
    return start, min(length, start + MOST_TEXT)


def cut_line(line: str) -> str:
    """Return one line as the page shows it."""
    if len(line) <= MOST_LINE:
        return visible(line)
    return f"{visible(line[:MOST_LINE])} [{len(line) - MOST_LINE:,} characters are not shown]"


def visible(text: str) -> str:
    """Replace characters that have no shape or change the direction of text by their code, as ⟨U+202E⟩."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_sign(character) for character in text)


def has_hidden(text: str) -> bool:
    """Whether a text has characters that a reader cannot see."""
    return any(_is_hidden(character) for character in text)


def _sign(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩" if _is_hidden(character) else character


def _is_hidden(character: str) -> bool:
    if character in "\n\t\r ":
        return False
    return unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
