"""The user's cache folder, where pristine workspaces and environments are kept between runs."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from platformdirs import user_cache_path

from assay.files import is_remote, place


def cache_folder(name: str) -> Path:
    """One room of the cache, made if need be; ASSAY_CACHE moves the whole.

    If ASSAY_CACHE is an address, machines share what is there (`assay.shared_cache`), and this is the part of
    this machine: the user's cache folder, or ASSAY_NODE_CACHE.
    """
    chosen = os.environ.get("ASSAY_CACHE")
    if chosen and is_remote(place(chosen)):
        chosen = os.environ.get("ASSAY_NODE_CACHE")
    folder = (place(chosen) if chosen else user_cache_path("assay")) / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def take_lock(path: Path) -> IO[str]:
    """Wait for a lock file; closing the returned file, or the end of this process, releases the lock."""
    handle = path.open("w")
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file, so that two processes do not make the same thing at once."""
    with take_lock(path):
        yield
