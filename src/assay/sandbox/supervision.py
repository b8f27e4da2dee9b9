"""What watches a command from outside: cancellation, processor time, and which limit ended it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from assay.sandbox.confinement import Limits

Result = TypeVar("Result")
_SIGNALLED = 128


class Stop:
    """Tells blocking work that nobody waits for it any more."""

    def __init__(self) -> None:
        self.asked = False
        self.begun = False
        self.done = threading.Event()
        self._lock = threading.Lock()

    def begin(self) -> bool:
        """Whether the work is still wanted; from then on whoever stops it waits for its end."""
        with self._lock:
            self.begun = not self.asked
            return self.begun

    def ask(self) -> bool:
        """Ask the work to end; whether there is an end to wait for, since what has not begun never will."""
        with self._lock:
            self.asked = True
            return self.begun

    def watch(self) -> str | None:
        """The reason to end, if there is one."""
        return "stopped" if self.asked else None


async def in_thread(work: Callable[[Stop], Result]) -> Result:
    """Run blocking work in a thread; when the caller is cancelled, wait until it has cleaned up."""
    import anyio
    import anyio.to_thread

    stop = Stop()

    def whole() -> Result:
        if not stop.begin():
            raise RuntimeError("it was cancelled before it began")
        try:
            return work(stop)
        finally:
            stop.done.set()

    try:
        limiter = anyio.CapacityLimiter(1)  # its own, so that long commands do not use up the common one
        return await anyio.to_thread.run_sync(whole, abandon_on_cancel=True, limiter=limiter)
    except anyio.get_cancelled_exc_class():
        begun = stop.ask()
        with anyio.CancelScope(shield=True):
            while begun and not stop.done.is_set():
                await anyio.sleep(0.005)
        raise


class Counts(Protocol):
    """What the kernel counts of a sandbox."""

    def memory_kills(self) -> int: ...
    def process_refusals(self) -> int: ...
    def cpu_seconds(self) -> float | None: ...


class Held(Protocol):
    """A sandbox of which it can be asked what ended a command."""

    @property
    def group(self) -> Counts: ...
    def disk_is_full(self) -> bool: ...


def cpu_watch(group: Counts, limits: Limits) -> Callable[[], str | None]:
    """Says `cpu` once everything in the group has used more processor time than allowed from now on."""
    before = group.cpu_seconds()
    allowed = limits.cpu_seconds
    if before is None or allowed is None:
        return lambda: None
    return lambda: "cpu" if (group.cpu_seconds() or 0.0) - before > allowed else None


def exceeded_limit(
    held: Held, returncode: int, *, memory_kills: int = 0, process_refusals: int = 0
) -> str | None:
    """Which limit made a command fail, as far as the kernel tells; the counts are those before it."""
    if returncode == 0:
        return None
    if held.group.memory_kills() > memory_kills:
        return "memory"
    if returncode == _SIGNALLED + signal.SIGXCPU:
        return "cpu"
    if returncode == _SIGNALLED + signal.SIGXFSZ or held.disk_is_full():
        return "disk"
    if held.group.process_refusals() > process_refusals:
        return "processes"
    return None
