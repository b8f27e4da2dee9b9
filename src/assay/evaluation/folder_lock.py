"""One run at a time for each folder of logs: two would make every attempt twice.

What it does not cover: runs of other machines and of other users that write into the same folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import UsageError
from assay.files import is_remote
from assay.sandbox.host.locks import lock_folder, try_lock


@contextmanager
def alone_in(logs: Path) -> Iterator[None]:
    """Hold the lock of a folder of logs; UsageError if another run holds it."""
    address = str(logs) if is_remote(logs) else str(logs.resolve())
    name = hashlib.sha256(address.encode()).hexdigest()[:32]
    descriptor = try_lock(lock_folder("runs") / f"{name}.lock", fcntl.LOCK_EX)
    if descriptor is None:
        raise UsageError(
            f"another run is writing into {logs}",
            hint="wait until it ends, or name another folder with --logs; `assay top` shows how far it is",
        )
    try:
        yield
    finally:
        os.close(descriptor)
