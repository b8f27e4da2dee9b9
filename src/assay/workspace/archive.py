"""Stores submissions and transcripts in folders beside the log; each file name is the file's hash."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from assay.errors import DiskFull

SUBMISSIONS = "submissions"


def submissions_folder() -> Path:
    """Return the folder beside the log of the running attempt."""
    from inspect_ai.log._samples import sample_active

    active = sample_active()
    location = active.log_location if active is not None else "."
    return Path(location.removeprefix("file://")).parent / SUBMISSIONS


def store_by_hash(folder: Path, data: bytes, ending: str) -> str:
    """Store data once, under its hash, completely or not at all; return the hash."""
    digest = hashlib.sha256(data).hexdigest()
    target = folder / f"{digest}{ending}"
    with DiskFull.named(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if not target.is_file():
            _write_whole(target, data)
    return digest


def _write_whole(target: Path, data: bytes) -> None:
    """Write a temporary file and rename it; remove the temporary file after an error."""
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=".partial-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(partial).rename(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(partial).unlink()
        raise
