"""Locks between processes that the system releases when their holder ends for any reason."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

POLL_SECONDS = 0.1


def _open(path: Path) -> IO[bytes]:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("ab")


@contextmanager
def hold_exclusive(path: Path, on_wait: Callable[[], None] = lambda: None) -> Iterator[IO[bytes]]:
    """Hold the lock exclusively; call `on_wait` repeatedly until it is free."""
    with _open(path) as file:
        while not try_exclusive(file):
            on_wait()
            time.sleep(POLL_SECONDS)
        yield file


def try_exclusive(file: IO[bytes]) -> bool:
    """Take the lock exclusively if it is free; return whether that worked."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def hold_shared(path: Path) -> IO[bytes]:
    """Hold the lock with other holders until the returned file is closed or this process ends."""
    file = _open(path)
    fcntl.flock(file, fcntl.LOCK_SH)
    return file


def release(file: IO[bytes]) -> None:
    """Release the lock before the file is closed."""
    fcntl.flock(file, fcntl.LOCK_UN)
