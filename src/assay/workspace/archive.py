"""Where submissions and transcripts are kept: folders beside the log, each file named by its hash."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from assay.errors import DiskFull

SUBMISSIONS = "submissions"


def submissions_folder() -> Path:
    """The folder beside the log of the attempt that is going on."""
    from inspect_ai.log._samples import sample_active

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
            _write_whole(target, data)
    return digest


def _write_whole(target: Path, data: bytes) -> None:
    """Write beside the target and rename; what could not be written whole is removed."""
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=".partial-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(partial).rename(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(partial).unlink()
        raise
