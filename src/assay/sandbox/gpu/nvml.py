"""Reads GPU memory from NVIDIA's management library, which ships with the driver."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.sandbox.confinement import MEBIBYTE


@dataclass(frozen=True, slots=True)
class Reading:
    """The memory in use on one GPU at one moment."""

    used_mb: float
    """By everybody together."""
    by_process: dict[int, float] | None
    """Host process id → MB; None where the driver does not say, as in some virtual machines."""


def read_gpu(number: int) -> Reading | None:
    """What is in use on the GPU of this device file; None where the library or the GPU is not there."""
    import pynvml

    try:
        handle = _handles()[number]
        used = pynvml.nvmlDeviceGetMemoryInfo(handle).used / MEBIBYTE
        return Reading(used, _processes(handle))
    except (pynvml.NVMLError, KeyError):
        return None


def _processes(handle: Any) -> dict[int, float] | None:
    import pynvml

    found: dict[int, float] = {}
    try:
        running = pynvml.nvmlDeviceGetComputeRunningProcesses(handle)
    except pynvml.NVMLError:
        return None
    for process in running:
        if process.usedGpuMemory is None:
            return None
        found[process.pid] = found.get(process.pid, 0.0) + process.usedGpuMemory / MEBIBYTE
    return found


@cache
def _handles() -> dict[int, Any]:
    """Number of the device file → the library's handle: its own order may be another."""
    import pynvml

    pynvml.nvmlInit()
    handles = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())]
    return {pynvml.nvmlDeviceGetMinorNumber(handle): handle for handle in handles}
