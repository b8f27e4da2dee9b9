"""Words before a number that make it a bound: "above 93%", "at most 0.5", "not below 7"."""

from __future__ import annotations

import re

_BOUND = re.compile(
    r"(?P<not>\b(?:no|not)\s+)?(?:(?P<above>\b(?:above|over|beyond|exceed(?:s|ed|ing)?|at\s+least"
    r"|(?:more|greater|higher|better|larger)\s+than)|[>≥≫])"
    r"|\b(?:below|under|at\s+most|(?:less|lower|worse|smaller|fewer)\s+than)|[<≤≪])\s*(?:an?\s+)?$",
    re.IGNORECASE,
)


def bound_before(before: str) -> int:
    """1 if a number right after this text is a lower bound, -1 if it is an upper one, else 0."""
    match = _BOUND.search(before)
    if match is None:
        return 0
    return 1 if bool(match["above"]) != bool(match["not"]) else -1
