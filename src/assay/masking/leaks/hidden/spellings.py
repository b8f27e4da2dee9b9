"""Rewrites a text to what its reader sees: without escapes, markup, colours and invisible characters."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator

from assay.masking.leaks.hidden.typesetting import (
    from_manual_page,
    from_pandoc_latex,
    from_pygments_latex,
    from_rich_text,
)

_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|[xu]\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})"
    r"|N\{([A-Z0-9 -]{1,60})\}|([0-7]{1,3})|([abfnrtv!-/:-@\[-`{-~]))"
)
"""Escapes of strings, and characters of punctuation after a backslash, as in Markdown and LaTeX."""
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_LAST_CHARACTER = 0x10FFFF
_TAG = re.compile(r"<[^<>]*>")
_BLOCK_TAG = re.compile(r"</?(?:td|th|tr|li|p|div|br|pre|h[1-6]|w:p|text:p)\b[^<>]*>", re.IGNORECASE)
"""A tag that begins or ends a line."""
_LONG_REFERENCE = re.compile(r"&#x?[0-9a-fA-F]{9,}")
"""A number that is no character, and that may be too long to read."""
_COLOUR = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B])")
"""A control sequence of a terminal."""
_KERNING = re.compile(r"\)\s*-?[0-9.]+\s*\(")
"""A shift between two pieces of one text of a PDF."""
_BETWEEN_STRINGS = re.compile(r"([\"'])\s{0,80}[,+]\s{0,80}\1")
"""What separates the strings of a list, or of a sum of strings."""
_RECORDED = re.compile(r'^\[[0-9.]+, ?"[oi]", ?"((?:[^"\\\n]|\\.)*)"\]\s*$', re.MULTILINE)
"""What a terminal showed at one moment, in a recording of asciinema."""
_CUE = re.compile(r"^(?:[0-9]+|[0-9:.,]+ --> [0-9:.,]+.*)?\s*$\n?", re.MULTILINE)
"""A number, a time or an empty line between the texts of subtitles."""
_MANUAL_PAGE = re.compile(r"^\.(?:TH|SH|Dd|nf|EX)\b", re.MULTILINE)
"""A line that only a page for `man` has."""
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_UTF7 = re.compile(r"\+A[A-Z][0-9A-Za-z/]{1,40}-")


def spellings(text: str) -> Iterator[str]:
    """Yield a text unchanged, with escapes resolved, and each without colours, markup and the like."""
    yield text
    yield from _plain_forms(text)
    if "\\" in text:
        plain = unescaped(text)
        yield plain
        yield from _plain_forms(plain)


def unescaped(text: str) -> str:
    """Return a text with the escapes of strings resolved."""
    return _ESCAPE.sub(_unescape, text)


def _plain_forms(text: str) -> Iterator[str]:
    if "\x1b" in text:
        yield _COLOUR.sub("", text)
    if "&" in text or ("<" in text and ">" in text):
        yield html.unescape(_LONG_REFERENCE.sub("", _TAG.sub("", _BLOCK_TAG.sub("\n", text))))
    if "] TJ" in text or "]TJ" in text:
        yield _KERNING.sub("", text)
    if "{\\rtf" in text:
        yield from_rich_text(text)
    if "\\PY{" in text:
        yield from_pygments_latex(text)
    if "Tok{" in text:
        yield from_pandoc_latex(text)
    if _MANUAL_PAGE.search(text):
        yield from_manual_page(text)
    for quote in ('"', "'"):
        if text.count(2 * quote) > 1:
            yield text.replace(2 * quote, quote)
    if " --> " in text:
        yield _CUE.sub("", text)
    if pieces := _RECORDED.findall(text):
        yield _COLOUR.sub("", _ESCAPE.sub(_unescape, "".join(pieces)))
    if _BETWEEN_STRINGS.search(text):
        yield _BETWEEN_STRINGS.sub("", text)
    if not text.isascii():
        visible = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
        if visible != text:
            yield visible
    if _UTF7.search(text):
        yield text.encode(errors="replace").decode("utf-7", errors="replace")


def _unescape(match: re.Match[str]) -> str:
    hex_two, braced, hex_four, hex_eight, name, octal, simple = match.groups()
    if digits := hex_two or braced or hex_four or hex_eight:
        code = int(digits, 16)
        return chr(code) if code <= _LAST_CHARACTER else match.group()
    if name:
        try:
            return unicodedata.lookup(name)
        except KeyError:
            return match.group()
    return chr(int(octal, 8)) if octal else _SIMPLE.get(simple, simple)
