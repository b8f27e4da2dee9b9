"""The code inside formatted texts (`f"…{value}…"`), which Python before 3.12 reads as one token."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FORMATTED = re.compile(r"(?i)(?:f|fr|rf)(?P<quotes>'''|\"\"\"|'|\")")
_ENDS_FIELD = re.compile(r"![rsa]?(?=[:}])|:|=(?=[!:}])")
_NESTED = re.compile(r"'[^']*'?|\"[^\"]*\"?")
"""A text inside such code is a text again."""
_OPEN, _CLOSE = "([{", ")]}"


def hide_text(token: str) -> str:
    """A text literal with its signs hidden, of the same length; the code in a formatted text stays."""
    hidden = list(re.sub(r"\S", "\0", token))
    match = _FORMATTED.match(token)
    for start, end in _fields(token, match.end(), len(token) - len(match["quotes"])) if match else ():
        hidden[start:end] = _NESTED.sub(lambda text: "\0" * len(text.group()), token[start:end])
    return "".join(hidden)


def _fields(token: str, place: int, last: int) -> Iterator[tuple[int, int]]:
    """Where the expressions of a formatted text begin and end; what is inside format marks is left out."""
    while place < last:
        if token[place] != "{":
            place += 1
        elif token.startswith("{{", place):
            place += 2
        else:
            end = _end_of_field(token, place + 1, last)
            yield place + 1, end
            place = max(end, token.find("}", end, last)) + 1


def _end_of_field(token: str, place: int, last: int) -> int:
    depth, quote = 0, ""
    while place < last:
        sign = token[place]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif depth == 0 and (sign == "}" or _ENDS_FIELD.match(token, place)):
            return place
        else:
            depth += (sign in _OPEN) - (sign in _CLOSE)
        place += 1
    return last
