"""Control groups, version 1 or 2, if this process may create them below its own.

If no writable controller can enforce a limit, an rlimit does; `limit_mechanisms` reports which one.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.sandbox.confinement import MEBIBYTE, SandboxLimits
from assay.sandbox.host.ownership import PREFIX, is_stale, name_of_this_process

_numbers = itertools.count()
_CONTROLLERS = ("memory", "pids", "cpuacct")


@dataclass(frozen=True, slots=True)
class ControllerFolder:
    """Folder below which Assay creates the groups of one controller."""

    version: int
    folder: Path


@cache
def controller_folders() -> dict[str, ControllerFolder]:
    """Map each usable controller to its folder; remove stale groups once."""
    folders = {
        name: controller_folder
        for name in _CONTROLLERS
        if (controller_folder := _controller_folder(name)) is not None
    }
    for controller_folder in set(folders.values()):
        for group in controller_folder.folder.glob(f"{PREFIX}-*"):
            if is_stale(group.name):
                _remove(group)
    return folders


def _controller_folder(controller: str) -> ControllerFolder | None:
    for kind, mount_point, root, options in _mounts():
        own_path = _own_path(controller if kind == "cgroup" else "")
        if own_path is None or (kind == "cgroup" and controller not in options):
            continue
        relative = os.path.relpath(own_path, root) if own_path.startswith(root) else "."
        folder = (mount_point / relative).resolve()
        if kind == "cgroup" and _is_writable(folder):
            return ControllerFolder(1, folder)
        if kind == "cgroup2" and (delegated := _delegated_group(folder, mount_point)) is not None:
            return ControllerFolder(2, delegated)
    return None


def _mounts() -> list[tuple[str, Path, str, list[str]]]:
    """List kind, mount point, root within the hierarchy and options of each mounted hierarchy."""
    mounts = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            fields = left.split()
            mounts.append((kind, Path(fields[4]), fields[3], options.split(",")))
    return mounts


def _own_path(controller: str) -> str | None:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path
    return None


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _delegated_group(folder: Path, top: Path) -> Path | None:
    """Return the nearest group at or above ours that delegates memory and pids to new groups."""
    for candidate in (folder, *folder.parents):
        with contextlib.suppress(OSError):
            controllers = (candidate / "cgroup.subtree_control").read_text().split()
            if {"memory", "pids"} <= set(controllers) and _is_writable(candidate):
                return candidate
        if candidate == top:
            return None
    return None


def limit_mechanisms() -> dict[str, str]:
    """Map each limit to its mechanism on this machine: `cgroup v1`, `cgroup v2` or `rlimit`."""
    folders = controller_folders()
    controllers = {"memory": "memory", "processes": "pids", "cpu": "cpuacct"}
    return {
        limit: f"cgroup v{folders[name].version}" if name in folders else "rlimit"
        for limit, name in controllers.items()
    }


class SandboxGroup:
    """The control groups of one sandbox, one for each usable controller."""

    def __init__(self, limits: SandboxLimits) -> None:
        name = f"{name_of_this_process()}-{next(_numbers)}"
        usable = {
            key: controller_folder
            for key, controller_folder in controller_folders().items()
            if key != "cpuacct" or limits.cpu_seconds
        }
        self._folders = {controller: place.folder / name for controller, place in usable.items()}
        self._versions = {controller: place.version for controller, place in usable.items()}
        for folder in set(self._folders.values()):
            folder.mkdir()
        self._limit(limits)

    def _limit(self, limits: SandboxLimits) -> None:
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
        """Move a process, and so its future children, into the groups."""
        for folder in set(self._folders.values()):
            _write(f"{folder}/cgroup.procs", str(pid))

    def memory_kills(self) -> int:
        """Count the processes that the kernel killed for exceeding the memory limit."""
        file = "memory.oom_control" if self._versions.get("memory") == 1 else "memory.events"
        return self._count("memory", file, "oom_kill")

    def process_refusals(self) -> int:
        """Count the new processes that the kernel refused."""
        return self._count("pids", "pids.events", "max")

    def _count(self, controller: str, file: str, key: str) -> int:
        if controller in self._folders:
            with contextlib.suppress(OSError):
                for line in _read(f"{self._folders[controller]}/{file}").splitlines():
                    if line.startswith(f"{key} "):
                        return int(line.split()[1])
        return 0

    def cpu_seconds(self) -> float | None:
        """Return the processor time of all processes in the groups, or None if it is not counted."""
        folder = self._folders.get("cpuacct")
        if folder is None:
            return None
        if self._versions["cpuacct"] == 1:
            return int(_read(f"{folder}/cpuacct.usage")) / 1e9
        return self._count("cpuacct", "cpu.stat", "usage_usec") / 1e6

    def remove(self) -> None:
        """Remove the groups once their processes are dead."""
        for folder in set(self._folders.values()):
            _remove(folder)


class UncountedGroup:
    """Replaces `SandboxGroup` if another program, such as Docker, enforces limits and reports no counts."""

    def memory_kills(self) -> int:
        """Return 0: the number is unknown."""
        return 0

    def process_refusals(self) -> int:
        """Not known."""
        return 0

    def cpu_seconds(self) -> float | None:
        """Return None: nobody counts it."""
        return None


def _write(path: str, text: str) -> None:
    """Write a kernel file without Python's slower file objects: every sandbox writes several."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _read(path: str) -> str:
    """Read a short kernel file in the same way: a running command is looked at many times."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 1 << 16).decode()
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> None:
    """Remove a group, with retries: it stays busy for a moment after its last process ends."""
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
