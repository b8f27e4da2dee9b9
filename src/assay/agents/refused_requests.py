"""Requests that a service refused for what they contain: many of them are the agent's own doing.

They cost no tokens, so no budget ends them, and a service may count them towards its requests of a day. An
attempt that used these up must not be made again because the service then answers nothing.
"""

from __future__ import annotations

import re

from inspect_ai.log import transcript

MOST_REFUSED = 100
"""Refused requests of one attempt from which on a failing service is no excuse."""
_REFUSED = re.compile(r"\b(?:400|403|404|413|422)\b")
_BEGINNING = 300
"""Characters of an error in which its HTTP status stands."""


def refused_too_often() -> bool:
    """Whether this attempt sent so many refused requests that it may have used up the service itself."""
    errors = [event.error for event in transcript().events if event.event == "model" and event.error]
    return sum(bool(_REFUSED.search(error[:_BEGINNING])) for error in errors) >= MOST_REFUSED
