"""Reads GPU memory from NVIDIA's management library, which comes with the driver."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from assay.sandbox.confinement import MEBIBYTE


@dataclass(frozen=True, slots=True)
class GpuMemory:
    """The memory in use on one GPU at one moment."""

    used_mb: float
    """By all processes together."""
    by_process: dict[int, float] | None
    """Host process id -> MB; None if the driver does not report it, as in some virtual machines."""


def read_gpu(number: int) -> GpuMemory | None:
    """Read the memory in use on the GPU of this device file; None without the library or the GPU."""
    import pynvml

    try:
        handle = _handles()[number]
        used = pynvml.nvmlDeviceGetMemoryInfo(handle).used / MEBIBYTE
        return GpuMemory(used, _processes(handle))
    except (pynvml.NVMLError, KeyError):
        return None


def gpu_name(number: int) -> str | None:
    """Return the model of the GPU of this device file; None without the library or the GPU."""
    import pynvml

    try:
        name = pynvml.nvmlDeviceGetName(_handles()[number])
    except (pynvml.NVMLError, KeyError):
        return None
    return name.decode() if isinstance(name, bytes) else str(name)


def _processes(handle: Any) -> dict[int, float] | None:
    import pynvml

    megabytes: dict[int, float] = {}
    try:
        running = pynvml.nvmlDeviceGetComputeRunningProcesses(handle)
    except pynvml.NVMLError:
        return None
    for process in running:
        if process.usedGpuMemory is None:
            return None
        megabytes[process.pid] = megabytes.get(process.pid, 0.0) + process.usedGpuMemory / MEBIBYTE
    return megabytes


@cache
def _handles() -> dict[int, Any]:
    """Map the number of the device file to the library's handle: the library may order GPUs differently."""
    import pynvml

    pynvml.nvmlInit()
    handles = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())]
    return {pynvml.nvmlDeviceGetMinorNumber(handle): handle for handle in handles}
