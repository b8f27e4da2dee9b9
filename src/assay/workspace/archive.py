"""Where submissions and transcripts are kept: folders beside the log, each file named by its hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

from assay.errors import DiskFull
from assay.files import publish

SUBMISSIONS = "submissions"


def submissions_folder() -> Path:
    """The folder beside the log of the attempt that is going on."""
    from assay.inspect_private import sample_active

    active = sample_active()
    location = active.log_location if active is not None else "."
    return Path(location.removeprefix("file://")).parent / SUBMISSIONS


def store_by_hash(folder: Path, data: bytes, ending: str) -> str:
    """Keep data once, under its hash, whole or not at all; its hash."""
    digest = hashlib.sha256(data).hexdigest()
    target = folder / f"{digest}{ending}"
    with DiskFull.named(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if not target.is_file():
            publish(target, data, private=True)
    return digest
