"""Reads files out of a dead sandbox: regular files only, links refused, sizes capped.

Every path is opened one component at a time without following links, from a descriptor of the
workspace that outlives its sandbox. Nothing runs there any more, so nothing can race the reading.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from assay.errors import UsageError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DEEPEST = 64
_MOST_FILES = 20_000
_CHUNK = 1 << 20


def check_patterns(patterns: Sequence[str]) -> None:
    """Refuse a pattern that leaves the workspace."""
    for pattern in patterns:
        path = PurePosixPath(pattern)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise UsageError(f"{pattern!r} cannot be collected: expected a path below the workspace")


class Harvest:
    """Collects what patterns name."""

    def __init__(self, *, file_bytes: int, total_bytes: int) -> None:
        self._file_bytes = file_bytes
        self._left = total_bytes
        self.files: dict[str, bytes] = {}
        self.refused: dict[str, str] = {}

    def collect(self, folder: int, patterns: Sequence[str]) -> None:
        """Take every file that a pattern names below an open folder; `**` stands for any folders."""
        check_patterns(patterns)
        for pattern in patterns:
            self._match(folder, "", PurePosixPath(pattern).parts, 0)

    def _match(self, folder: int, place: str, parts: Sequence[str], depth: int) -> None:
        if len(self.files) + len(self.refused) > _MOST_FILES or depth > _DEEPEST:
            self.refused[place or "."] = "too many files or too deep"
            return
        first, rest = parts[0], parts[1:]
        if first == "**":
            self._match(folder, place, rest or ("*",), depth)
        for name in _names(folder, first):
            path = f"{place}{name}"
            remaining = parts if first == "**" else rest
            if not remaining:
                self._take(folder, name, path)
            else:
                self._descend(folder, name, path, remaining, depth, searching=first == "**")

    def _descend(
        self, folder: int, name: str, path: str, parts: Sequence[str], depth: int, *, searching: bool
    ) -> None:
        try:
            inside = os.open(name, _FOLDER, dir_fd=folder)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and _is_link(folder, name):
                if not searching:
                    self.refused[path] = "is a symbolic link"
            elif error.errno not in (errno.ENOENT, errno.ENOTDIR):
                self.refused[path] = f"cannot be read: {os.strerror(error.errno or 0)}"
            return
        try:
            self._match(inside, f"{path}/", parts, depth + 1)
        finally:
            os.close(inside)

    def _take(self, folder: int, name: str, path: str) -> None:
        if path in self.files:
            return
        try:
            descriptor = os.open(name, _FILE, dir_fd=folder)
        except FileNotFoundError:
            return
        except OSError as error:
            link = _is_link(folder, name)
            reason = "is a symbolic link" if link else f"cannot be read: {os.strerror(error.errno or 0)}"
            self.refused[path] = reason
            return
        try:
            self._read(descriptor, path)
        finally:
            os.close(descriptor)

    def _read(self, descriptor: int, path: str) -> None:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            return
        if not stat.S_ISREG(status.st_mode):
            self.refused[path] = "is not a regular file"
        elif status.st_size > min(self._file_bytes, self._left):
            self.refused[path] = f"is too large: {status.st_size} bytes"
        else:
            self._left -= status.st_size
            chunks = iter(lambda: os.read(descriptor, _CHUNK), b"")
            self.files[path] = b"".join(chunks)


def _names(folder: int, part: str) -> Iterator[str]:
    if part == "**":
        yield from sorted(os.listdir(folder))
    elif any(sign in part for sign in "*?["):
        yield from sorted(name for name in os.listdir(folder) if fnmatchcase(name, part))
    else:
        yield part


def _is_link(folder: int, name: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False
