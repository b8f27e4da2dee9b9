"""Control groups, version 1 or 2, where this process may make them below its own.

A limit that no writable controller can hold is left to rlimits, and `mechanisms` says so.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.sandbox.confinement import MEBIBYTE, Limits
from assay.sandbox.host.ownership import PREFIX, is_stale, name_of_this_process

_numbers = itertools.count()
_CONTROLLERS = ("memory", "pids", "cpuacct")


@dataclass(frozen=True, slots=True)
class Place:
    """The folder below which groups of one controller are made."""

    version: int
    folder: Path


@cache
def places() -> dict[str, Place]:
    """Where each controller can be used by this process; stale groups there are swept once."""
    found = {name: place for name in _CONTROLLERS if (place := _place(name)) is not None}
    for place in set(found.values()):
        for stale in place.folder.glob(f"{PREFIX}-*"):
            if is_stale(stale.name):
                _remove(stale)
    return found


def _place(controller: str) -> Place | None:
    for kind, mount_point, root, options in _mounts():
        own = _own_path(controller if kind == "cgroup" else "")
        if own is None or (kind == "cgroup" and controller not in options):
            continue
        relative = os.path.relpath(own, root) if own.startswith(root) else "."
        folder = (mount_point / relative).resolve()
        if kind == "cgroup" and _writable(folder):
            return Place(1, folder)
        if kind == "cgroup2" and (delegated := _delegated(folder, mount_point)) is not None:
            return Place(2, delegated)
    return None


def _mounts() -> list[tuple[str, Path, str, list[str]]]:
    """Kind, mount point, root within the hierarchy and options of each mounted hierarchy."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            fields = left.split()
            found.append((kind, Path(fields[4]), fields[3], options.split(",")))
    return found


def _own_path(controller: str) -> str | None:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path
    return None


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _delegated(folder: Path, top: Path) -> Path | None:
    """The nearest group at or above ours that hands memory and pids on to groups that we may make."""
    for candidate in (folder, *folder.parents):
        with contextlib.suppress(OSError):
            handed_on = (candidate / "cgroup.subtree_control").read_text().split()
            if {"memory", "pids"} <= set(handed_on) and _writable(candidate):
                return candidate
        if candidate == top:
            return None
    return None


def mechanisms() -> dict[str, str]:
    """What holds each limit on this machine: `cgroup v1`, `cgroup v2` or `rlimit`."""
    found = places()
    named = {"memory": "memory", "processes": "pids", "cpu": "cpuacct"}
    return {
        limit: f"cgroup v{found[name].version}" if name in found else "rlimit"
        for limit, name in named.items()
    }


class Group:
    """The groups that hold one sandbox, one for each controller that can be used."""

    def __init__(self, limits: Limits) -> None:
        name = f"{name_of_this_process()}-{next(_numbers)}"
        wanted = {key: place for key, place in places().items() if key != "cpuacct" or limits.cpu_seconds}
        self._folders = {controller: place.folder / name for controller, place in wanted.items()}
        self._versions = {controller: place.version for controller, place in wanted.items()}
        for folder in set(self._folders.values()):
            folder.mkdir()
        self._limit(limits)

    def _limit(self, limits: Limits) -> None:
        size = str(limits.memory_mb * MEBIBYTE)
        if self._versions.get("memory") == 1:
            self._write("memory", "memory.limit_in_bytes", size)
            with contextlib.suppress(OSError):  # absent where swap is not counted
                self._write("memory", "memory.memsw.limit_in_bytes", size)
        elif self._versions.get("memory") == 2:
            self._write("memory", "memory.max", size)
            with contextlib.suppress(OSError):
                self._write("memory", "memory.swap.max", "0")
        if "pids" in self._folders:
            self._write("pids", "pids.max", str(limits.processes))

    def _write(self, controller: str, file: str, text: str) -> None:
        _write(f"{self._folders[controller]}/{file}", text)

    def attach(self, pid: int) -> None:
        """Put a process, and so everything it will start, into the groups."""
        for folder in set(self._folders.values()):
            _write(f"{folder}/cgroup.procs", str(pid))

    def memory_kills(self) -> int:
        """How many processes the kernel killed for want of memory."""
        file = "memory.oom_control" if self._versions.get("memory") == 1 else "memory.events"
        return self._count("memory", file, "oom_kill")

    def process_refusals(self) -> int:
        """How many new processes were refused."""
        return self._count("pids", "pids.events", "max")

    def _count(self, controller: str, file: str, key: str) -> int:
        if controller in self._folders:
            with contextlib.suppress(OSError):
                for line in (self._folders[controller] / file).read_text().splitlines():
                    if line.startswith(f"{key} "):
                        return int(line.split()[1])
        return 0

    def cpu_seconds(self) -> float | None:
        """Processor time of everything that ran in the groups, or None where it is not counted."""
        folder = self._folders.get("cpuacct")
        if folder is None:
            return None
        if self._versions["cpuacct"] == 1:
            return int((folder / "cpuacct.usage").read_text()) / 1e9
        return self._count("cpuacct", "cpu.stat", "usage_usec") / 1e6

    def remove(self) -> None:
        """Remove the groups once their processes are dead."""
        for folder in set(self._folders.values()):
            _remove(folder)


class Uncounted:
    """Stands in for groups where somebody else, such as Docker, holds the limits and tells no counts."""

    def memory_kills(self) -> int:
        """Not known."""
        return 0

    def process_refusals(self) -> int:
        """Not known."""
        return 0

    def cpu_seconds(self) -> float | None:
        """Not counted."""
        return None


def _write(path: str, text: str) -> None:
    """Write a kernel file; without Python's file objects, since every sandbox writes several."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> None:
    """A group stays busy for an instant after its last process ended."""
    for pause in (0.0, 0.001, 0.01, 0.1, 0.5):
        if pause:
            time.sleep(pause)
        try:
            folder.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            continue
