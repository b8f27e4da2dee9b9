"""The one scratch folder of a harness process: created on first use, removed after the process ends."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from assay.sandbox.host.ownership import PREFIX, is_stale, name_of_this_process


def scratch_folder() -> Path:
    """Return this process's folder, which no other user can read."""
    return _scratch_folder(os.getpid())


@cache
def _scratch_folder(pid: int) -> Path:
    parent = Path(tempfile.gettempdir())
    sweep(parent)
    folder = parent / name_of_this_process()
    folder.mkdir(mode=0o700, exist_ok=True)
    atexit.register(_remove, folder, pid)
    return folder


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """Give a folder that no other user can reach, even while its own mode lets them; then remove it.

    If this process is killed, a later process removes it.
    """
    with tempfile.TemporaryDirectory(prefix=f"{purpose}-", dir=scratch_folder()) as folder:
        yield Path(folder)


def sweep(parent: Path) -> None:
    """Remove the folders of killed harness processes."""
    for folder in parent.glob(f"{PREFIX}-*"):
        if is_stale(folder.name) and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)


def _remove(folder: Path, pid: int) -> None:
    if os.getpid() == pid:
        shutil.rmtree(folder, ignore_errors=True)
