"""Bounds on requests to services of the harness, such as the bridge to a model.

Inspect finds each request in a file, reads all of them at once and parses them. Code in the sandbox can write
such files itself, as many and as large as its disk allows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise

MOST_BYTES = 16 << 20
"""Bytes of one request."""
MOST_PARTS = 1_000_000
"""Lists, tables and entries of one request: an empty list of three bytes takes sixty in memory."""
MOST_AT_ONCE = 12
"""Requests of one service that are served at the same time; the others wait."""
_REQUESTS = re.compile(r"/var/tmp/sandbox-services/(?:[^/]+/)+requests(?P<file>/[^/]+)?")
TOO_LARGE = {"assay": "this request was too large to be read"}
"""The content that Inspect gets in place of that of a request that is too large."""
_START = re.compile(r'\{"id": "(?P<id>[\w.-]{1,128})", "method": "(?P<method>generate_\w{1,64})", ')
"""How the proxy of the bridge begins a request to a model."""


class ServiceRequests:
    """The requests of one sandbox that Inspect was shown."""

    def __init__(self) -> None:
        self._shown: dict[str, set[str]] = {}

    def shown(self, command: Sequence[str], listing: str) -> str:
        """Return the part of a listing of requests that may be served now."""
        folder = _listed_folder(command)
        if folder is None:
            return listing
        names = [name for name in listing.split("\0") if name]
        served = self._shown.get(folder, set()) & set(names)
        served |= set([name for name in names if name not in served][: MOST_AT_ONCE - len(served)])
        self._shown[folder] = served
        return "".join(f"{name}\0" for name in names if name in served)


def _listed_folder(command: Sequence[str]) -> str | None:
    """The folder of requests that a command of Inspect lists; Inspect may put a shell before its words."""
    for program, folder in pairwise(command):
        match = _REQUESTS.fullmatch(folder) if program == "find" else None
        if match is not None and not match["file"]:
            return folder
    return None


def is_request(command: Sequence[str]) -> bool:
    """Whether a command of Inspect reads one request; Inspect may put a shell before its words."""
    match = _REQUESTS.fullmatch(command[-1]) if list(command[-3:-1]) == ["cat", "--"] else None
    return match is not None and match["file"] is not None


def has_too_many_parts(request: str) -> bool:
    """Whether parsing a request would take far more memory than its text."""
    return sum(map(request.count, "[{,")) > MOST_PARTS


def with_no_content(request: str) -> str | None:
    """Return a request to a model with `TOO_LARGE` as its content; None if the text is no such request.

    The proxy of the bridge ends if the service cannot read a request, so Inspect gets one that it can refuse.
    """
    start = _START.match(request)
    return json.dumps({**start.groupdict(), "params": {"json_data": TOO_LARGE}}) if start else None
