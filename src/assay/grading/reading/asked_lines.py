"""Lines that prove nothing by themselves, unless a requirement asks for exactly such a line.

An import and a printed text say nothing about what code computes, so the guard refuses quotes of them. If a
requirement asks to import something, or to print a message, such a line is what is asked for.
"""

from __future__ import annotations

import re

from assay.grading.judge.guard import PROVES_NOTHING, Page, flatten, quoted_lines

_IMPORT = re.compile(r"(?:import [\w.]+|from [\w.]+ import \S)")
_ASKS_TO_IMPORT = re.compile(r"\bimport(?:s|ing)?\b", re.IGNORECASE)
_PRINT = re.compile(r"(?:print|echo|printf|\w*log(?:ger|ging)?\.\w+|(?:sys\.)?stdout\.write)\b\s*[(\"'f]")
_ASKS_FOR_MESSAGE = re.compile(
    r"^(?:print|display|log|show|output)\s+(?:an?\s+|the\s+)?(?:[\w-]+\s+){0,3}?messages?\b", re.IGNORECASE
)
_MORE_THAN_MESSAGE = re.compile(
    r"\b(?:and|then|results?|values?|scores?\s+(?:of|for)|accurac\w+|error|loss|metrics?|numbers?|statistics)\b|\d",
    re.IGNORECASE,
)
"""Words in the request itself after which a message must have contents that somebody computes."""


def is_asked_line(quote: str, page: Page, requirement: str, void: str) -> bool:
    """Whether a quote that the guard refuses is the very line that a requirement asks for, and it ran."""
    return is_asked_import(quote, page, requirement) or (
        void == PROVES_NOTHING and _is_asked_message(quote, page, requirement)
    )


def is_asked_import(quote: str, page: Page, requirement: str) -> bool:
    """Whether a quote is an import that ran, and the requirement asks to import.

    Statements that never ran are not among the shown lines.
    """
    lines = _quoted_lines(quote)
    shown_lines = {
        flatten(re.sub(r"^\+", "", line)) for part in page.parts for line in part.shown.splitlines()
    }
    is_import = bool(lines) and all(_IMPORT.match(line) and line in shown_lines for line in lines)
    return is_import and _ASKS_TO_IMPORT.search(requirement) is not None


def _is_asked_message(quote: str, page: Page, requirement: str) -> bool:
    """Whether a quote prints a text in code that ran, and the requirement asks only for a message.

    The proof has no comments and no lines that never ran. A requirement for computed contents asks for
    more than a message: a constant text would state a result that nothing computed.
    """
    asks = _ASKS_FOR_MESSAGE.match(requirement) is not None
    if not asks or _MORE_THAN_MESSAGE.search(requirement) is not None:
        return False
    lines = _quoted_lines(quote)
    return bool(lines) and all(
        _PRINT.match(line) is not None and any(line in part.flat_proof for part in page.parts)
        for line in lines
    )


def _quoted_lines(quote: str) -> list[str]:
    return [flatten(line) for line in quoted_lines(quote) if line.strip()]
