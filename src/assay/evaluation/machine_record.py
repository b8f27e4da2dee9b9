"""The machine and the sandbox of an attempt, as its log records them, so that a report can split by them."""

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
from assay.sandbox import find_engine
from assay.sandbox.host.cgroups import limit_mechanisms

SANDBOX = "bwrap"
"""Assay's own sandbox as Inspect calls it, whatever makes it."""


@dataclass(frozen=True)
class NodeName:
    """The name of the machine in its cluster; empty for the name that the machine gives itself."""

    name: str = ""


def machine_record(provider: str) -> dict[str, Any]:
    """Return what this machine is, how busy it is now, and the sandbox of an attempt.

    `provider` is the sandbox as Inspect calls it. `load` is the mean number of processes that ran or waited
    for a core during the last minute.
    """
    record: dict[str, Any] = {
        "node": run_context().part(NodeName).name or socket.gethostname(),
        "processor": _processor(),
        "cores": own_cores(),
        "load": round(os.getloadavg()[0], 2),
        **sandbox_record(provider),
    }
    return record | ({"gpu": _gpu_names()} if _gpu_names() else {})


def sandbox_record(provider: str) -> dict[str, str]:
    """Return the kind of a sandbox, its version, and what holds each limit; of others than Assay's, the name.

    Not covered: the limits of sandboxes that are not Assay's own.
    """
    if provider != SANDBOX:
        return {"sandbox": provider}
    engine = find_engine()
    if engine.kind == "docker":
        return {"sandbox": "docker", "sandbox_version": engine.version, "limits": "container"}
    limits = ", ".join(f"{limit}: {mechanism}" for limit, mechanism in limit_mechanisms().items())
    version = f"{engine.version} ({engine.kind})"
    return {"sandbox": "bubblewrap", "sandbox_version": version, "limits": limits}


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
