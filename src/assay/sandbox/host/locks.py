"""Lock files of this user on this machine; the kernel releases the locks of a killed process."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol, TypeVar

from assay.errors import SandboxError


class Releasable(Protocol):
    """What is held until it is released."""

    def release(self) -> None:
        """Let others have it."""
        ...


Held = TypeVar("Held", bound=Releasable)


@contextmanager
def held_in(variable: ContextVar[Held | None], held: Held) -> Iterator[Held]:
    """Hold something for a block, in which a variable says so to nested requests; then release it."""
    token = variable.set(held)
    try:
        yield held
    finally:
        with suppress(ValueError):  # the block ends in another task than it began in
            variable.reset(token)
        held.release()


def try_lock(path: os.PathLike[str], mode: int) -> int | None:
    """Lock a file if that is possible now; return its descriptor, which holds the lock until it is closed."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def lock_folder(purpose: str) -> Path:
    """The folder of this user's lock files for one purpose, such as `gpus`."""
    folder = Path(tempfile.gettempdir()) / f"assay-{purpose}-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if status.st_uid != os.getuid() or folder.is_symlink():
        raise SandboxError(
            f"{folder} belongs to another user, so Assay cannot lock its {purpose}",
            hint="set TMPDIR to your own folder",
        )
    return folder
