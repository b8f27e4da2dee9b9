"""Whether the disks that a run writes to have space left: the cache, the logs, the temporary folder."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path

from assay.cache import cache_folder
from assay.errors import DiskFull, UsageError
from assay.files import is_remote

PROBE_BYTES = 256 * 1024
"""What a disk must still hold for a log to be written."""


def check_space(logs: Path) -> None:
    """DiskFull, naming the folder, where one of them can hold no more; UsageError where one is no folder."""
    if is_remote(logs):
        _check_address(logs)
    elif logs.exists() and not logs.is_dir():
        raise UsageError(f"{logs} is not a folder", hint="name a folder, which is made if missing")
    disks = [cache_folder("workspaces"), Path(tempfile.gettempdir())]
    for folder in disks if is_remote(logs) else [logs, *disks]:
        with DiskFull.named(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as probe:
                probe.write(bytes(PROBE_BYTES))
                probe.flush()


def _check_address(logs: Path) -> None:
    """Write a small file at the address and remove it."""
    probe = logs / f".probe-{secrets.token_hex(8)}"
    try:
        probe.write_bytes(b"assay")
        probe.unlink()
    except Exception as error:  # each kind of address has exceptions of its own
        raise UsageError(
            f"{logs} cannot be written: {error}",
            hint="check that the bucket exists, and the variables with its address and your key",
        ) from None
