"""Names for what one harness process leaves on the system, so that the next can sweep it.

A name holds the process's pid namespace, pid and start time. Only names of our own namespace whose
process is gone are stale: what a living harness or another container made is never touched.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

PREFIX = "assay-box"


def name_of_this_process() -> str:
    """The prefix of everything this process makes outside its own memory."""
    return _name(os.getpid())


@cache
def _name(pid: int) -> str:
    return f"{PREFIX}-{_namespace()}-{pid}-{_start_time(pid)}"


def is_stale(name: str) -> bool:
    """Whether a name was made by a process of our pid namespace that has ended."""
    parts = name.removeprefix(f"{PREFIX}-").split("-")
    if not name.startswith(f"{PREFIX}-") or len(parts) < 3 or not all(part.isdigit() for part in parts[:3]):
        return False
    namespace, pid, start = parts[:3]
    return namespace == _namespace() and _start_time(int(pid)) != start


def _namespace() -> str:
    return str(Path("/proc/self/ns/pid").stat().st_ino)


def _start_time(pid: int) -> str | None:
    """Field 22 of the process's stat line; counted after the name, which may hold spaces."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return line.rpartition(")")[2].split()[19]
