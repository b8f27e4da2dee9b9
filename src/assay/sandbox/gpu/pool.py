"""Leases GPUs, so that no two sandboxes of this user on this machine share one by accident.

Each GPU has a lock file, and a lease holds its lock: exclusively, or together with leases that also allow
sharing. The kernel releases the lock of a killed process, so there is nothing to clean up.

What it does not cover: other users and other programs, which do not use these locks.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

from assay.sandbox.gpu.devices import gpu_numbers
from assay.sandbox.host.locks import held_in, lock_folder, try_lock

_PAUSE_SECONDS = 0.2
_current_lease: ContextVar[Lease | None] = ContextVar("assay_gpu_lease", default=None)


class Lease:
    """GPUs that belong to the holder of the lease until it releases them."""

    def __init__(self, locks: dict[int, int], requested: int) -> None:
        self._locks = locks
        self.gpus = tuple(sorted(locks))
        self.wanted = requested
        """How many GPUs the holder asked for: more than `gpus` if the machine has fewer."""
        self._start_time = time.monotonic()
        self._seconds: float | None = None

    @property
    def seconds(self) -> float:
        """Duration of the lease."""
        return time.monotonic() - self._start_time if self._seconds is None else self._seconds

    @property
    def gpu_seconds(self) -> float:
        """Duration of the lease, multiplied by the number of GPUs."""
        return self.seconds * len(self.gpus)

    def as_log(self, peak_mb: float | None) -> dict[str, Any]:
        """Describe the use of the GPUs for a log; the peak is None if the driver does not report it."""
        return {
            "gpus": list(self.gpus),
            "wanted": self.wanted,
            "hours": round(self.gpu_seconds / 3600, 6),
            "peak_mb": None if peak_mb is None else round(peak_mb),
        }

    def release(self) -> None:
        """Release the GPUs; a second call does nothing."""
        if self._seconds is None:
            self._seconds = self.seconds
            for descriptor in self._locks.values():
                os.close(descriptor)


async def take_gpus(count: int, *, shared: bool = False) -> Lease:
    """Wait until `count` GPUs are free and take them together, or all GPUs if the machine has fewer.

    A machine without GPUs gives an empty lease at once: a program that needs a GPU then fails by itself.
    """
    import anyio

    while True:
        numbers = gpu_numbers()
        lease = try_gpus(numbers, count, shared=shared)
        if lease is not None:
            return lease
        await anyio.sleep(_PAUSE_SECONDS)


def try_gpus(numbers: tuple[int, ...], count: int, *, shared: bool = False) -> Lease | None:
    """Take `count` of these GPUs if they are free now.

    A caller that has to wait holds no GPU, so two callers never wait for each other.
    """
    gpu_count = min(count, len(numbers))
    locks: dict[int, int] = {}
    folder = lock_folder("gpus")
    # First the unused GPUs, so that attempts share a GPU only if they must.
    for mode in (fcntl.LOCK_EX, fcntl.LOCK_SH) if shared else (fcntl.LOCK_EX,):
        for number in numbers:
            if (
                len(locks) < gpu_count
                and number not in locks
                and (lock := try_lock(folder / f"{number}.lock", mode)) is not None
            ):
                if shared:
                    fcntl.flock(lock, fcntl.LOCK_SH)
                locks[number] = lock
    if len(locks) == gpu_count:
        return Lease(locks, count)
    for lock in locks.values():
        os.close(lock)
    return None


@asynccontextmanager
async def leased_gpus(count: int, *, shared: bool = False) -> AsyncIterator[Lease]:
    """Lease GPUs for a block; a nested request gets the same lease and does not wait."""
    current = _current_lease.get()
    if current is not None and current.wanted >= count:
        yield current
        return
    with held_in(_current_lease, await take_gpus(count, shared=shared)) as lease:
        yield lease
