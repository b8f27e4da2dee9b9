"""Long output with its head and its tail, and with what was left out named.

Inspect cuts the middle out of long output too, without a mark at the place of the cut: a log that was cut in
two reads there as if it were whole.
"""

from __future__ import annotations

SHOWN = 12_000
"""Characters of one result that are shown."""
HEAD = 1 / 3
"""The share of them that is taken from the beginning: errors and results stand at the end."""


def shorten(text: str, most: int = SHOWN) -> str:
    """A text of at most so many characters and one line that says what is missing."""
    if len(text) <= most:
        return text
    head = int(most * HEAD)
    gap = text[head : len(text) - (most - head)]
    return f"{text[:head]}\n{left_out(len(gap), gap.count(chr(10)))}\n{text[len(text) - (most - head) :]}"


def left_out(characters: int, lines: int | None = None) -> str:
    """The line that stands where something was cut out."""
    line_ends = "" if lines is None else f", {lines:,} line ends among them"
    return f"[… {characters:,} characters left out here{line_ends} …]"
