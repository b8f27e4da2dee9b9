"""Names for files and groups of one harness process, so that a later process can remove stale ones.

A name contains the process's pid namespace, pid and start time. A name is stale only if it is from our
namespace and its process has ended: Assay never removes files of a running harness or another container.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

PREFIX = "assay-box"


def name_of_this_process() -> str:
    """Return the prefix for all files, groups and containers of this process."""
    return _name(os.getpid())


@cache
def _name(pid: int) -> str:
    return f"{PREFIX}-{_namespace()}-{pid}-{_start_time(pid)}"


def is_stale(name: str) -> bool:
    """True if the name belongs to an ended process of our pid namespace."""
    parts = name.removeprefix(f"{PREFIX}-").split("-")
    if not name.startswith(f"{PREFIX}-") or len(parts) < 3 or not all(part.isdigit() for part in parts[:3]):
        return False
    namespace, pid, start = parts[:3]
    return namespace == _namespace() and _start_time(int(pid)) != start


def _namespace() -> str:
    return str(Path("/proc/self/ns/pid").stat().st_ino)


def _start_time(pid: int) -> str | None:
    """Return field 22 of the process's stat line, counted from after the name, which may contain spaces."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return line.rpartition(")")[2].split()[19]
