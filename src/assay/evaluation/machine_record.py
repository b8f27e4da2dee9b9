"""The machine of an attempt, as its log records it, so that a report can split by machines."""

from __future__ import annotations

import os
import platform
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assay.evaluation.turns import own_cores
from assay.run_context import run_context


@dataclass(frozen=True)
class NodeName:
    """The name of the machine in its cluster; empty for the name that the machine gives itself."""

    name: str = ""


def machine_record() -> dict[str, Any]:
    """Return what this machine is and how busy it is now.

    `load` is the mean number of processes that ran or waited for a core during the last minute.
    """
    record: dict[str, Any] = {
        "node": run_context().part(NodeName).name or socket.gethostname(),
        "processor": _processor(),
        "cores": own_cores(),
        "load": round(os.getloadavg()[0], 2),
    }
    return record | ({"gpu": _gpu_names()} if _gpu_names() else {})


@cache
def _processor() -> str:
    """The model of the processor, or its architecture where the system does not say more."""
    information = Path("/proc/cpuinfo")
    for line in information.read_text().splitlines() if information.is_file() else ():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


@cache
def _gpu_names() -> str:
    """The models of the GPUs that this process may use, each once; empty without one."""
    from assay.sandbox.gpu.devices import gpu_numbers
    from assay.sandbox.gpu.nvml import gpu_name

    names = [gpu_name(number) for number in gpu_numbers()]
    return ", ".join(dict.fromkeys(name for name in names if name is not None))
