"""Socket files under long paths."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def short_path(path: Path) -> Iterator[str]:
    """A name for a socket that fits into the 107 bytes the kernel allows, however deep its folder."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
