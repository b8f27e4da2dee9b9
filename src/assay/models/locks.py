"""Locks between processes that the system lets go of when their holder dies, however it dies."""

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
def exclusive(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[IO[bytes]]:
    """Hold the lock alone, calling `waiting` from time to time until it is free."""
    with _open(path) as file:
        while not try_exclusive(file):
            waiting()
            time.sleep(POLL_SECONDS)
        yield file


def try_exclusive(file: IO[bytes]) -> bool:
    """Take the lock alone if nobody has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def shared(path: Path) -> IO[bytes]:
    """Hold the lock together with others until the returned file is closed or this process ends."""
    file = _open(path)
    fcntl.flock(file, fcntl.LOCK_SH)
    return file


def release(file: IO[bytes]) -> None:
    """Let go before the file is closed."""
    fcntl.flock(file, fcntl.LOCK_UN)
