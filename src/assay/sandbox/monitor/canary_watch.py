"""Who opens a canary: folders of false truth are shown as copies of their own, and watched by inotify.

The kernel tells of an opened file by its inode, through whatever mount it was reached. A file that cannot
be watched is a file of which nothing is known; `Openings.blind` says so.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import struct
import tempfile
import threading
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path

from assay.sandbox.confinement import Mount
from assay.sandbox.host.scratch import scratch_folder

_EVENT = struct.Struct("=iIII")
_OPENED, _ONCE = 0x20, 0x80000000
_NONBLOCKING = os.O_NONBLOCK | os.O_CLOEXEC


class Openings:
    """One sandbox's canaries."""

    def __init__(self, canaries: list[Mount]) -> None:
        self._folders: list[Path] = []
        self._numbers: list[int] = []
        self._seen: dict[str, None] = {}
        self.blind = False
        self.mounts = tuple(self._show(mount) for mount in canaries)

    def _show(self, mount: Mount) -> Mount:
        """A copy that no other sandbox shows, so that who opens it is known."""
        folder = Path(tempfile.mkdtemp(prefix="canary-", dir=scratch_folder()))
        self._folders.append(folder)
        copy = folder / "shown"
        shutil.copytree(mount.source, copy)
        for path in sorted(copy.rglob("*")):
            if path.is_file():
                shown = f"{mount.target}/{path.relative_to(copy)}"
                number = _inotify(os.getpid()).add(path, partial(self._seen.setdefault, shown))
                self.blind = self.blind or number is None
                self._numbers += [] if number is None else [number]
        return Mount(copy, mount.target)

    def read(self) -> tuple[str, ...]:
        """The files that were opened, in the order in which they were."""
        _inotify(os.getpid()).drain()
        return tuple(self._seen)

    def close(self) -> None:
        """Remove the copies."""
        _inotify(os.getpid()).forget(self._numbers)
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)


class FollowedFiles:
    """Which files of one workspace are opened, from a moment at which nothing runs in it yet.

    Opening is all that can be seen: a file that was never opened was never executed, while one that was
    opened may only have been copied.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = tuple(paths)
        self._numbers: list[int] = []
        self._seen: dict[str, None] = {}
        self._blind = True

    def begin(self, folder: int) -> None:
        """Follow the files below an open folder; one that is not there stays unopened."""
        self._blind = False
        for path in self._paths:
            place = Path(f"/proc/self/fd/{folder}") / path
            if not place.is_file():
                continue
            number = _inotify(os.getpid()).add(place, partial(self._seen.setdefault, path))
            self._blind = self._blind or number is None
            self._numbers += [] if number is None else [number]

    def opened(self) -> frozenset[str] | None:
        """The files that were opened until now; None where nothing is known."""
        if self._blind or not self._paths:
            return None
        _inotify(os.getpid()).drain()
        return frozenset(self._seen)

    def close(self) -> None:
        """Follow them no longer."""
        _inotify(os.getpid()).forget(self._numbers)
        self._numbers = []


class _Inotify:
    """One instance for all sandboxes of this process: a user has few."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._descriptor = int(self._library.inotify_init1(_NONBLOCKING))
        self._lock = threading.Lock()
        self._told: dict[int, Callable[[], object]] = {}

    def add(self, path: Path, tell: Callable[[], object]) -> int | None:
        """Watch a file for its first opening; None where the kernel has no watch left."""
        with self._lock:
            number = int(
                self._library.inotify_add_watch(self._descriptor, os.fsencode(path), _OPENED | _ONCE)
            )
            if number < 0:
                return None
            self._told[number] = tell
            return number

    def drain(self) -> None:
        """Take in everything that happened until now."""
        with self._lock, contextlib.suppress(OSError):
            while data := os.read(self._descriptor, 1 << 16):
                at = 0
                while at < len(data):
                    number, mask, _, length = _EVENT.unpack_from(data, at)
                    at += _EVENT.size + length
                    if mask & _OPENED and number in self._told:
                        self._told[number]()

    def forget(self, numbers: Iterable[int]) -> None:
        """Watch these no longer."""
        self.drain()
        with self._lock:
            for number in numbers:
                self._told.pop(number, None)
                self._library.inotify_rm_watch(self._descriptor, number)


@cache
def _inotify(_: int) -> _Inotify:
    return _Inotify()
