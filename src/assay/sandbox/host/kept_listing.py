"""What was found below a folder of the system, kept until a folder or a file that was looked at changes.

A system has tens of thousands of files, and whether anything changed is seen from its folders and from the
few files that were read: a folder gets another time when a name in it appears, goes or is replaced.

What it does not cover: a change in the last moment before the folders were read may have the same time as
they had. So a listing is kept only if nothing below the folder changed in the two seconds before.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable
from typing import Any

from assay.cache import cache_folder
from assay.files import publish
from assay.version import __version__

_QUIET_NANOSECONDS = 2_000_000_000
"""No clock of a file system is coarser."""

Fingerprint = list[int]


class LookedAt:
    """The folders and files on which a result depends, each with what changes when it does."""

    def __init__(self) -> None:
        self.fingerprints: dict[str, Fingerprint] = {}
        self._began = time.time_ns()
        self._is_quiet = True

    def add(self, path: str, status: os.stat_result | None = None) -> None:
        """Note a path, before it is read."""
        status = status or os.lstat(path)
        self.fingerprints[path] = _fingerprint(status)
        self._is_quiet &= status.st_ctime_ns < self._began - _QUIET_NANOSECONDS

    def forget(self, paths: Iterable[str]) -> None:
        """Leave out paths on which the result does not depend after all."""
        for path in paths:
            self.fingerprints.pop(path, None)

    @property
    def can_be_kept(self) -> bool:
        """Whether a later change of any of the paths will be seen."""
        return self._is_quiet


def kept(root: str, make: Callable[[LookedAt], dict[str, Any]]) -> dict[str, Any]:
    """Return what `make` returned when it last looked at this root, or call it, if anything has changed."""
    name = hashlib.sha256(f"{__version__} {root}".encode()).hexdigest()[:32]
    record = cache_folder("system-listings") / f"{name}.json"
    try:
        record_fields: dict[str, Any] = json.loads(record.read_bytes())
        if _is_unchanged(record_fields["looked_at"].items()):
            result: dict[str, Any] = record_fields["result"]
            return result
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # missing, damaged or changed
        pass
    looked_at = LookedAt()
    result = make(looked_at)
    if looked_at.can_be_kept:
        publish(record, json.dumps({"result": result, "looked_at": looked_at.fingerprints}))
    return result


def _is_unchanged(fingerprints: Iterable[tuple[str, Fingerprint]]) -> bool:
    look = os.lstat
    return all(_fingerprint(look(path)) == before for path, before in fingerprints)


def _fingerprint(status: os.stat_result) -> Fingerprint:
    return [status.st_dev, status.st_ino, status.st_ctime_ns]
