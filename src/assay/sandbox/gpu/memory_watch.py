"""Watches from outside how much GPU memory one sandbox uses, and ends what exceeds its limit.

The driver counts by process, and a process belongs to a sandbox by its pid namespace, which nothing
inside can leave. Where the driver does not count by process, all that its GPUs have in use beyond what
they had before counts: nobody else uses them, unless the task allows sharing.

What it does not cover: a peak shorter than the time between two looks.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from assay.sandbox.gpu.nvml import read_gpu

EXCEEDED = "GPU memory"
"""The name of the limit, as an outcome gives it."""
LOOK_SECONDS = 0.2


class GpuMeter:
    """Looks at one sandbox, by the process that holds it, whenever it is asked to."""

    def __init__(self, gpus: Sequence[int], first_pid: int, limit_mb: int | None) -> None:
        self.gpus = gpus
        self.limit_mb = limit_mb
        self.peak_mb: float | None = None
        """None as long as nothing could be read."""
        self.exceeded = False
        self._first = first_pid
        self._namespace = _namespace_of(first_pid)
        self._before = {gpu: reading.used_mb for gpu in gpus if (reading := read_gpu(gpu)) is not None}
        self._next_look = 0.0

    def look(self) -> bool:
        """Look again if it is time to; whether the limit is exceeded at this moment."""
        now = time.monotonic()
        if not self.gpus or now < self._next_look:
            return False
        self._next_look = now + LOOK_SECONDS
        amounts = [self._used(gpu) for gpu in self.gpus]
        known = [amount for amount in amounts if amount is not None]
        if not known:
            return False
        self.peak_mb = max(self.peak_mb or 0.0, sum(known))
        over = self.limit_mb is not None and sum(known) > self.limit_mb
        self.exceeded = self.exceeded or over
        return over

    def watch(self) -> str | None:
        """The name of the limit once it was exceeded."""
        self.look()
        return EXCEEDED if self.exceeded else None

    def kill_all(self) -> None:
        """Kill everything in the sandbox but the process that holds it."""
        for pid in [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]:
            if pid != self._first and _namespace_of(pid) == self._namespace:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    def _used(self, gpu: int) -> float | None:
        reading = read_gpu(gpu)
        if reading is None:
            return None
        if reading.by_process is None:
            return max(0.0, reading.used_mb - self._before.get(gpu, 0.0))
        return sum(mb for pid, mb in reading.by_process.items() if _namespace_of(pid) == self._namespace)


def _namespace_of(pid: int) -> int | None:
    try:
        return Path(f"/proc/{pid}/ns/pid").stat().st_ino
    except OSError:
        return None
