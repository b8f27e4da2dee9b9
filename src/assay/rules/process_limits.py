"""Limits on what a process may use while it reads what an agent wrote; the kernel ends it there."""

from __future__ import annotations

import resource
import time
from pathlib import Path

CPU_SECONDS = 10
"""What one call may use."""
MEMORY_BYTES = 1 << 30
"""What one call may use, beyond what the process has when it begins."""


def limit_process(seconds: int) -> None:
    """Limit this process from now on: so many seconds of processor time, and memory."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + seconds + 1, hard))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    address_space = used + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (address_space if hard < 0 else min(address_space, hard), hard))
