"""Bounds on requests to services of the harness, such as the bridge to a model.

Inspect finds each request in a file, reads all of them at once and parses them. Code in the sandbox can write
such files itself, as many and as large as its disk allows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST_BYTES = 16 << 20
"""Bytes of one request."""
MOST_PARTS = 1_000_000
"""Lists, tables and entries of one request: an empty list of three bytes takes sixty in memory."""
MOST_AT_ONCE = 12
"""Requests of one service that are served at the same time; the others wait."""
_REQUESTS = re.compile(r"/var/tmp/sandbox-services/(?:[^/]+/)+requests(?P<file>/[^/]+)?")


class ServiceRequests:
    """The requests of one sandbox that Inspect was shown."""

    def __init__(self) -> None:
        self._shown: dict[str, set[str]] = {}

    def shown(self, command: Sequence[str], listing: str) -> str:
        """Return the part of a listing of requests that may be served now."""
        match = _REQUESTS.fullmatch(command[1]) if len(command) > 2 and command[0] == "find" else None
        if match is None or match["file"]:
            return listing
        names = [name for name in listing.split("\0") if name]
        served = self._shown.get(command[1], set()) & set(names)
        served |= set([name for name in names if name not in served][: MOST_AT_ONCE - len(served)])
        self._shown[command[1]] = served
        return "".join(f"{name}\0" for name in names if name in served)


def is_request(command: Sequence[str]) -> bool:
    """Whether a command of Inspect reads one request."""
    match = _REQUESTS.fullmatch(command[-1]) if list(command[:2]) == ["cat", "--"] else None
    return match is not None and match["file"] is not None


def has_too_many_parts(request: str) -> bool:
    """Whether parsing a request would take far more memory than its text."""
    return sum(map(request.count, "[{,")) > MOST_PARTS
