"""Supervises a command from outside: cancellation, processor time, and which limit ended it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from assay.sandbox.confinement import SandboxLimits

Result = TypeVar("Result")
_SIGNALLED = 128


class Stop:
    """Request to end blocking work, because its caller was cancelled."""

    def __init__(self) -> None:
        self.requested = False
        self.has_begun = False
        self.has_ended = threading.Event()
        self._lock = threading.Lock()

    def begin(self) -> bool:
        """Mark the work as begun, unless its end was requested; return whether it may begin."""
        with self._lock:
            self.has_begun = not self.requested
            return self.has_begun

    def request(self) -> bool:
        """Request the end of the work; return whether the caller must wait, because the work has begun."""
        with self._lock:
            self.requested = True
            return self.has_begun

    def watch(self) -> str | None:
        """Return the reason to end, or None."""
        return "stopped" if self.requested else None


async def in_thread(work: Callable[[Stop], Result]) -> Result:
    """Run blocking work in a thread; if the caller is cancelled, wait until the work has cleaned up."""
    import anyio
    import anyio.to_thread

    stop = Stop()

    def run_work() -> Result:
        if not stop.begin():
            raise RuntimeError("the work was cancelled before it began")
        try:
            return work(stop)
        finally:
            stop.has_ended.set()

    try:
        limiter = anyio.CapacityLimiter(1)  # its own, so that long commands do not use up the common one
        return await anyio.to_thread.run_sync(run_work, abandon_on_cancel=True, limiter=limiter)
    except anyio.get_cancelled_exc_class():
        must_wait = stop.request()
        with anyio.CancelScope(shield=True):
            while must_wait and not stop.has_ended.is_set():
                await anyio.sleep(0.005)
        raise


class KernelCounts(Protocol):
    """The kernel's counters for a sandbox."""

    def memory_kills(self) -> int: ...
    def process_refusals(self) -> int: ...
    def cpu_seconds(self) -> float | None: ...


class LimitedSandbox(Protocol):
    """A sandbox that can report which limit ended a command."""

    @property
    def group(self) -> KernelCounts: ...
    def disk_is_full(self) -> bool: ...


def cpu_check(group: KernelCounts, limits: SandboxLimits) -> Callable[[], str | None]:
    """Return a check that gives `cpu` once the group uses more processor time than allowed from now on."""
    seconds_before = group.cpu_seconds()
    allowed = limits.cpu_seconds
    if seconds_before is None or allowed is None:
        return lambda: None
    return lambda: "cpu" if (group.cpu_seconds() or 0.0) - seconds_before > allowed else None


def exceeded_limit(
    sandbox: LimitedSandbox, returncode: int, *, memory_kills: int = 0, process_refusals: int = 0
) -> str | None:
    """Return the limit that made a command fail, if the kernel knows it; the counts are from before."""
    if returncode == 0:
        return None
    if sandbox.group.memory_kills() > memory_kills:
        return "memory"
    if returncode == _SIGNALLED + signal.SIGXCPU:
        return "cpu"
    if returncode == _SIGNALLED + signal.SIGXFSZ or sandbox.disk_is_full():
        return "disk"
    if sandbox.group.process_refusals() > process_refusals:
        return "processes"
    return None
