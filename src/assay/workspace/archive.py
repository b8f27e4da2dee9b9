"""Stores submissions and transcripts in folders beside the log; each file name is the file's hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

from assay.errors import DiskFull
from assay.files import is_remote, place, publish

SUBMISSIONS = "submissions"
UNGRADED = "ungraded"
"""The folder, beside graded logs, of logs whose attempts are still to be graded."""


def submissions_folder() -> Path:
    """Return the folder beside the log of the running attempt."""
    from assay.inspect_private import sample_active

    active = sample_active()
    location = active.log_location if active is not None else "."
    folder = place(location).parent
    return (folder.parent if folder.name == UNGRADED else folder) / SUBMISSIONS


def store_by_hash(folder: Path, data: bytes, ending: str) -> str:
    """Store data once, under its hash, completely or not at all, and durably; return the hash."""
    digest = hashlib.sha256(data).hexdigest()
    target = folder / f"{digest}{ending}"
    with DiskFull.named(folder):
        if not is_remote(folder):
            folder.mkdir(parents=True, exist_ok=True)
        if not target.is_file():
            publish(target, data, private=True, durable=True)
    return digest
