"""Whether the disks that a run writes to have space left: the cache, the logs, the temporary folder."""

from __future__ import annotations

import tempfile
from pathlib import Path

from assay.cache import cache_folder
from assay.errors import DiskFull, UsageError

PROBE_BYTES = 256 * 1024
"""What a disk must still hold for a log to be written."""


def check_space(logs: Path) -> None:
    """DiskFull, naming the folder, where one of them can hold no more; UsageError where one is no folder."""
    if logs.exists() and not logs.is_dir():
        raise UsageError(f"{logs} is not a folder", hint="name a folder, which is made if missing")
    for folder in (logs, cache_folder("workspaces"), Path(tempfile.gettempdir())):
        with DiskFull.named(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as probe:
                probe.write(bytes(PROBE_BYTES))
                probe.flush()
