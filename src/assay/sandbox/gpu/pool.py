"""Hands out GPUs, so that no two sandboxes of this user's runs on this machine share one by accident.

A GPU is a lock file, and a lease holds its lock: exclusively, or together with others that also allow it.
The kernel lets go of the lock of a process that was killed, so nothing is left to clean up.

What it does not cover: other users and other programs, which know nothing of these locks.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from assay.errors import SandboxError
from assay.sandbox.gpu.devices import gpu_numbers

_PAUSE_SECONDS = 0.2
_held: ContextVar[Lease | None] = ContextVar("assay_gpu_lease", default=None)


class Lease:
    """Some GPUs that belong to its holder until they are released."""

    def __init__(self, locks: dict[int, int], wanted: int) -> None:
        self._locks = locks
        self.gpus = tuple(sorted(locks))
        self.wanted = wanted
        """How many were asked for: more than `gpus` where the machine has fewer."""
        self._since = time.monotonic()
        self._seconds: float | None = None

    @property
    def seconds(self) -> float:
        """How long it has been held."""
        return time.monotonic() - self._since if self._seconds is None else self._seconds

    @property
    def gpu_seconds(self) -> float:
        """The same, for all its GPUs together."""
        return self.seconds * len(self.gpus)

    def as_log(self, peak_mb: float | None) -> dict[str, Any]:
        """What a log says of its use; the peak is None where the driver does not say it."""
        return {
            "gpus": list(self.gpus),
            "wanted": self.wanted,
            "hours": round(self.gpu_seconds / 3600, 6),
            "peak_mb": None if peak_mb is None else round(peak_mb),
        }

    def release(self) -> None:
        """Let others have the GPUs; a second call does nothing."""
        if self._seconds is None:
            self._seconds = self.seconds
            for descriptor in self._locks.values():
                os.close(descriptor)


async def take_gpus(count: int, *, shared: bool = False) -> Lease:
    """Wait until so many GPUs are free and take them all at once, or all that the machine has.

    A machine without any gives an empty lease at once: what needs a GPU fails there by itself.
    """
    import anyio

    while True:
        numbers = gpu_numbers()
        lease = try_gpus(numbers, count, shared=shared)
        if lease is not None:
            return lease
        await anyio.sleep(_PAUSE_SECONDS)


def try_gpus(numbers: tuple[int, ...], count: int, *, shared: bool = False) -> Lease | None:
    """Take so many of these GPUs if they are free now.

    Whoever has to wait holds none meanwhile, so two never wait for each other.
    """
    needed = min(count, len(numbers))
    locks: dict[int, int] = {}
    # First those that nobody has, so that attempts that may share a GPU do so only when they must.
    for mode in (fcntl.LOCK_EX, fcntl.LOCK_SH) if shared else (fcntl.LOCK_EX,):
        for number in numbers:
            if len(locks) < needed and number not in locks and (lock := _lock(number, mode)) is not None:
                if shared:
                    fcntl.flock(lock, fcntl.LOCK_SH)
                locks[number] = lock
    if len(locks) == needed:
        return Lease(locks, count)
    for lock in locks.values():
        os.close(lock)
    return None


@asynccontextmanager
async def holding_gpus(count: int, *, shared: bool = False) -> AsyncIterator[Lease]:
    """Hold GPUs for a while; inside, whoever asks again gets the same ones instead of waiting for them."""
    outer = _held.get()
    if outer is not None and outer.wanted >= count:
        yield outer
        return
    lease = await take_gpus(count, shared=shared)
    token = _held.set(lease)
    try:
        yield lease
    finally:
        with contextlib.suppress(ValueError):  # closed in another task than it was opened in
            _held.reset(token)
        lease.release()


def _lock(number: int, mode: int) -> int | None:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(_folder() / f"{number}.lock", flags, 0o600)
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"assay-gpus-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or folder.is_symlink():
        raise SandboxError(
            f"{folder} belongs to another user, so GPUs cannot be handed out", hint="set TMPDIR to your own"
        )
    return folder
