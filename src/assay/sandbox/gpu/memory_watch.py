"""Measures from outside how much GPU memory one sandbox uses, and kills its processes above the limit.

The driver counts by process, and a process belongs to a sandbox by its pid namespace, which nothing
inside can leave. If the driver does not count by process, the meter counts the increase on the GPUs since the
start: no other sandbox uses them, unless the task allows sharing.

What it does not cover: a peak that is shorter than the time between two measurements.
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
"""Name of the limit in an outcome."""
LOOK_SECONDS = 0.2


class GpuMeter:
    """Measures one sandbox on request, by the namespace of its first process."""

    def __init__(self, gpus: Sequence[int], first_pid: int, limit_mb: int | None) -> None:
        self.gpus = gpus
        self.limit_mb = limit_mb
        self.peak_mb: float | None = None
        """None until the first successful measurement."""
        self.exceeded = False
        self._first_pid = first_pid
        self._namespace = _namespace_of(first_pid)
        self._used_before = {gpu: reading.used_mb for gpu in gpus if (reading := read_gpu(gpu)) is not None}
        self._next_look = 0.0

    def look(self) -> bool:
        """Measure again if it is time; return whether the sandbox exceeds its limit current_time."""
        current_time = time.monotonic()
        if not self.gpus or current_time < self._next_look:
            return False
        self._next_look = current_time + LOOK_SECONDS
        amounts = [self._used_mb(gpu) for gpu in self.gpus]
        known_amounts = [amount for amount in amounts if amount is not None]
        if not known_amounts:
            return False
        self.peak_mb = max(self.peak_mb or 0.0, sum(known_amounts))
        is_exceeded = self.limit_mb is not None and sum(known_amounts) > self.limit_mb
        self.exceeded = self.exceeded or is_exceeded
        return is_exceeded

    def watch(self) -> str | None:
        """Return the name of the limit once the sandbox has exceeded it."""
        self.look()
        return EXCEEDED if self.exceeded else None

    def kill_all(self) -> None:
        """Kill every process in the sandbox except the first."""
        for pid in [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]:
            if pid != self._first_pid and _namespace_of(pid) == self._namespace:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    def _used_mb(self, gpu: int) -> float | None:
        reading = read_gpu(gpu)
        if reading is None:
            return None
        if reading.by_process is None:
            return max(0.0, reading.used_mb - self._used_before.get(gpu, 0.0))
        return sum(mb for pid, mb in reading.by_process.items() if _namespace_of(pid) == self._namespace)


def _namespace_of(pid: int) -> int | None:
    try:
        return Path(f"/proc/{pid}/ns/pid").stat().st_ino
    except OSError:
        return None
