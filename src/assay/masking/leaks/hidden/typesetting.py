"""Reads documents of typesetting programs: rich text, and code that Pygments or Pandoc write for LaTeX."""

from __future__ import annotations

import re

_RICH_TEXT = re.compile(
    r"\\'(?P<hex>[0-9a-fA-F]{2})"
    r"|\\u(?P<code>-?[0-9]{1,6})[ ]?(?:\\'[0-9a-fA-F]{2}|\?)?"
    r"|\\(?P<word>[a-zA-Z]+)-?[0-9]{0,10}[ ]?"
    r"|\\(?P<sign>[^a-zA-Z])"
    r"|[{}\r\n]"
)
"""A character by its code, a control word, a control sign, or a brace or line end without meaning."""
_WORDS = {"par": "\n", "line": "\n", "tab": "\t", "row": "\n", "cell": "\t"}
_SIGNS = {"~": " ", "_": "-", "-": "", "\n": "\n", "\r": "\n", "*": ""}
_PYGMENTS = re.compile(r"\\PY\{[\w+]*\}\{((?:[^{}]|\{\})*)\}")
_PYGMENTS_SIGN = re.compile(r"\\PYZ([a-z]{2})\{\}")
_PYGMENTS_SIGNS = dict(
    zip(
        re.findall("..", "bsusobcbcaamltgtshpcdlhysqdqtiatlbrb"),
        "\\_{}^&<>#%$-'\"~@[]",
        strict=True,
    )
)
_PANDOC = re.compile(
    r"\\text(?P<name>[a-z]+)\{\}|\{(?P<single>[^\w\s{}\\])\}|\\(?P<sign>[^\w\s])|\\[A-Za-z]+Tok\{|[{}]"
)
"""A character by its name, in braces or after a backslash; or the begin or end of a highlighted word."""
_PANDOC_NAMES = {
    "greater": ">",
    "less": "<",
    "quotesingle": "'",
    "quotedbl": '"',
    "asciitilde": "~",
    "asciicircum": "^",
    "asciigrave": "`",
    "backslash": "\\",
    "bar": "|",
    "underscore": "_",
}


_TROFF = re.compile(
    r"\\(?:\((?P<name>..)|\[(?P<long>[^\]\n]{1,20})\]"
    r"|f(?:[A-Z]|\([A-Z]{2}|\[[^\]\n]{0,20}\])|(?P<sign>[-&e'`.^| ]))"
)
"""An escape of troff: a sign by its name, a change of the font, a sign."""
_TROFF_SIGNS = {
    "dq": '"',
    "aq": "'",
    "cq": "'",
    "oq": "`",
    "ga": "`",
    "**": "*",
    "mi": "-",
    "hy": "-",
    "en": "-",
    "em": "-",
    "pl": "+",
    "eq": "=",
    "rs": "\\",
    "ti": "~",
    "ha": "^",
    "sl": "/",
    "ul": "_",
    "lB": "[",
    "rB": "]",
    "lC": "{",
    "rC": "}",
    "ba": "|",
    "or": "|",
    "at": "@",
    "sh": "#",
    "Do": "$",
    "<=": "<=",
    ">=": ">=",
    "!=": "!=",
    "-": "-",
    "e": "\\",
    "'": "'",
    "`": "`",
    ".": ".",
    " ": " ",
}


def from_manual_page(text: str) -> str:
    """Return what a reader of a page for `man` sees: its escapes of signs resolved."""
    return _TROFF.sub(
        lambda match: _TROFF_SIGNS.get(match["name"] or match["long"] or match["sign"] or "", ""), text
    )


def from_rich_text(text: str) -> str:
    """Return what a reader of a rich text document sees."""
    return _RICH_TEXT.sub(_rich_text_part, text)


def from_pygments_latex(text: str) -> str:
    """Return highlighted LaTeX without its commands."""
    plain = _PYGMENTS.sub(r"\1", text)
    return _PYGMENTS_SIGN.sub(lambda match: _PYGMENTS_SIGNS.get(match.group(1), match.group()), plain)


def from_pandoc_latex(text: str) -> str:
    """Return highlighted LaTeX without its commands."""
    return _PANDOC.sub(
        lambda match: _PANDOC_NAMES.get(match["name"] or "", match["single"] or match["sign"] or ""), text
    )


def _rich_text_part(match: re.Match[str]) -> str:
    if match["hex"]:
        return chr(int(match["hex"], 16))
    if match["code"]:
        return chr(int(match["code"]) & 0xFFFF)
    if match["word"]:
        return _WORDS.get(match["word"], "")
    sign = match["sign"] or ""
    return _SIGNS.get(sign, sign)
