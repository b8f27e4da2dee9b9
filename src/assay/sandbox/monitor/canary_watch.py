"""Records who opens a canary: each sandbox gets its own copies of folders with false answers, under inotify.

The kernel reports an opened file by its inode, through any mount. If a file cannot be watched, its openings
are unknown; then `CanaryWatch.blind` is true.
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

from assay.files import copy_tree
from assay.sandbox.confinement import Mount
from assay.sandbox.host.scratch import scratch_folder

_EVENT = struct.Struct("=iIII")
_OPEN_EVENT, _ONE_SHOT = 0x20, 0x80000000
_NONBLOCKING = os.O_NONBLOCK | os.O_CLOEXEC


class CanaryWatch:
    """Watches the canaries of one sandbox."""

    def __init__(self, canaries: list[Mount]) -> None:
        self._folders: list[Path] = []
        self._watch_numbers: list[int] = []
        self._opened: dict[str, None] = {}
        self.blind = False
        self.mounts = tuple(self._copy_and_watch(mount) for mount in canaries)

    def _copy_and_watch(self, mount: Mount) -> Mount:
        """Copy a canary for this sandbox alone, so that it is clear who opens it, and watch the copy."""
        folder = Path(tempfile.mkdtemp(prefix="canary-", dir=scratch_folder()))
        self._folders.append(folder)
        copy = folder / "shown"
        for path in copy_tree(str(mount.source), str(copy)):
            path_inside = f"{mount.target}/{path}"
            number = _inotify(os.getpid()).add(copy / path, partial(self._opened.setdefault, path_inside))
            self.blind = self.blind or number is None
            self._watch_numbers += [] if number is None else [number]
        return Mount(copy, mount.target)

    def read(self) -> tuple[str, ...]:
        """Return the opened files, in the order of their opening."""
        _inotify(os.getpid()).drain()
        return tuple(self._opened)

    def close(self) -> None:
        """Stop watching and remove the copies."""
        _inotify(os.getpid()).forget(self._watch_numbers)
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)


class FollowedFiles:
    """Records which files of one workspace are opened, from before the first process runs in it.

    It sees only that a file is opened: an unopened file was never executed, while an opened file may only
    have been copied.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = tuple(paths)
        self._watch_numbers: list[int] = []
        self._opened: dict[str, None] = {}
        self._blind = True

    def begin(self, folder: int) -> None:
        """Watch the files below an open folder; a missing file counts as unopened."""
        self._blind = False
        for path in self._paths:
            host_path = Path(f"/proc/self/fd/{folder}") / path
            if not host_path.is_file():
                continue
            number = _inotify(os.getpid()).add(host_path, partial(self._opened.setdefault, path))
            self._blind = self._blind or number is None
            self._watch_numbers += [] if number is None else [number]

    def opened(self) -> frozenset[str] | None:
        """Return the files opened until now; None if that is unknown."""
        if self._blind or not self._paths:
            return None
        _inotify(os.getpid()).drain()
        return frozenset(self._opened)

    def close(self) -> None:
        """Stop watching the files."""
        _inotify(os.getpid()).forget(self._watch_numbers)
        self._watch_numbers = []


class _Inotify:
    """One inotify instance for all sandboxes of this process: a user has few."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._descriptor = int(self._library.inotify_init1(_NONBLOCKING))
        self._lock = threading.Lock()
        self._callbacks: dict[int, Callable[[], object]] = {}

    def add(self, path: Path, callback: Callable[[], object]) -> int | None:
        """Watch a file for its first opening; return None if the kernel has no free watch."""
        with self._lock:
            number = int(
                self._library.inotify_add_watch(self._descriptor, os.fsencode(path), _OPEN_EVENT | _ONE_SHOT)
            )
            if number < 0:
                return None
            self._callbacks[number] = callback
            return number

    def drain(self) -> None:
        """Read all events until now and call their callbacks."""
        with self._lock, contextlib.suppress(OSError):
            while data := os.read(self._descriptor, 1 << 16):
                offset = 0
                while offset < len(data):
                    number, mask, _, length = _EVENT.unpack_from(data, offset)
                    offset += _EVENT.size + length
                    if mask & _OPEN_EVENT and number in self._callbacks:
                        self._callbacks[number]()

    def forget(self, numbers: Iterable[int]) -> None:
        """Stop these watches."""
        self.drain()
        with self._lock:
            for number in numbers:
                self._callbacks.pop(number, None)
                self._library.inotify_rm_watch(self._descriptor, number)


@cache
def _inotify(_: int) -> _Inotify:
    return _Inotify()
