"""Reads files out of a dead sandbox: regular files only, links that lead out refused, sizes capped.

Every path is opened one component at a time without following links, from a descriptor of the
workspace that outlives its sandbox. Nothing runs there any more, so nothing can race the reading.
Where a file is a link, the links are read one by one here, and none may leave the workspace:
`ln -s runs/latest/results.json results.json` is a habit, and no more than a copy or a renaming.
Files go to a folder of the harness where one is named, piece by piece and without their holes: a
sparse file of a gigabyte costs a few bytes of shell, and must cost no more here.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from assay.errors import DiskFull, UsageError
from assay.sandbox.confinement import WORKSPACE

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DEEPEST = 64
_LONGEST_CHAIN = 8
_MOST_FILES = 20_000
_CHUNK = 1 << 20
_LINK = "is a symbolic link"
MOST_IN_MEMORY = 256 << 20
"""Bytes of all files together, where they are not written into a folder."""


def check_patterns(patterns: Sequence[str]) -> None:
    """Refuse a pattern that leaves the workspace."""
    for pattern in patterns:
        path = PurePosixPath(pattern)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise UsageError(f"{pattern!r} cannot be collected: expected a path below the workspace")


class Harvest:
    """Collects what patterns name."""

    def __init__(self, *, file_bytes: int, total_bytes: int, into: Path | None = None) -> None:
        self._file_bytes = file_bytes
        self._left = total_bytes if into is not None else min(total_bytes, MOST_IN_MEMORY)
        self._into = into
        self.files: dict[str, bytes] = {}
        """Contents; where there is a folder to write into, none."""
        self.saved: dict[str, Path] = {}
        """Where each file lies in that folder, under a name that the agent did not choose."""
        self.refused: dict[str, str] = {}

    def collect(self, folder: int, patterns: Sequence[str]) -> None:
        """Take every file that a pattern names below an open folder; `**` stands for any folders."""
        check_patterns(patterns)
        for pattern in patterns:
            self._match(folder, "", PurePosixPath(pattern).parts, 0)
        for path in [path for path, why in self.refused.items() if why == _LINK]:
            self._take_linked(folder, path)

    def _match(self, folder: int, place: str, parts: Sequence[str], depth: int) -> None:
        if len(self.files) + len(self.saved) + len(self.refused) > _MOST_FILES or depth > _DEEPEST:
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
                    self.refused[path] = _LINK
            elif error.errno not in (errno.ENOENT, errno.ENOTDIR):
                self.refused[path] = f"cannot be read: {os.strerror(error.errno or 0)}"
            return
        try:
            self._match(inside, f"{path}/", parts, depth + 1)
        finally:
            os.close(inside)

    def _take(self, folder: int, name: str, path: str) -> None:
        if path in self.files or path in self.saved:
            return
        try:
            descriptor = os.open(name, _FILE, dir_fd=folder)
        except FileNotFoundError:
            return
        except OSError as error:
            link = _is_link(folder, name)
            reason = _LINK if link else f"cannot be read: {os.strerror(error.errno or 0)}"
            self.refused[path] = reason
            return
        try:
            self._read(descriptor, path)
        finally:
            os.close(descriptor)

    def _take_linked(self, root: int, path: str) -> None:
        """Take the plain file of the workspace that a link stands for; any other link stays refused."""
        try:
            descriptor = _open_linked(root, path)
        except OSError:
            return
        try:
            del self.refused[path]
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
            most = min(self._file_bytes, self._left)
            self.refused[path] = f"is too large: {status.st_size:,} bytes, at most {most:,} were left"
        else:
            self._left -= status.st_size
            if self._into is None:
                chunks = iter(lambda: os.read(descriptor, _CHUNK), b"")
                self.files[path] = b"".join(chunks)
            else:
                self.saved[path] = self._into / f"{len(self.saved)}"
                copy_sparse(descriptor, self.saved[path], status.st_size)


def _open_linked(root: int, path: str) -> int:
    """Open the plain file to which a path leads through links that never leave the workspace."""
    ahead, behind, links = path.split("/"), list[str](), 0
    while ahead and links <= _LONGEST_CHAIN and len(behind) <= _DEEPEST:
        name = ahead.pop(0)
        with _below(root, behind) as folder:
            target = os.readlink(name, dir_fd=folder) if _is_link(folder, name) else None
        if target is not None:
            links += 1
            if target.startswith("/"):
                target, behind = _in_workspace(target), []
            ahead = [*target.split("/"), *ahead]
        elif name == "..":
            if not behind:
                raise _astray()
            behind.pop()
        elif name not in ("", "."):
            behind.append(name)
    if ahead or not behind:
        raise _astray()
    with _below(root, behind[:-1]) as folder:
        return _open_plain(folder, behind[-1])


def _in_workspace(target: str) -> str:
    """What an absolute link names, from the workspace on."""
    if target != WORKSPACE and not target.startswith(f"{WORKSPACE}/"):
        raise _astray()
    return target.removeprefix(WORKSPACE)


def _astray() -> OSError:
    return OSError(errno.ELOOP, "the link leads to no file of the workspace")


def _open_plain(folder: int, name: str) -> int:
    if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise OSError(errno.EINVAL, "not a plain file")
    return os.open(name, _FILE, dir_fd=folder)


@contextmanager
def _below(root: int, folders: Sequence[str]) -> Iterator[int]:
    """A folder below an open one, reached through real folders only."""
    folder = os.dup(root)
    try:
        for name in folders:
            inner = os.open(name, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def copy_sparse(source: int, target: Path, size: int) -> None:
    """Copy an open file without its holes, a piece at a time."""
    with DiskFull.named(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as out:
            out.truncate(size)
            for start, end in _data(source, size):
                os.lseek(source, start, os.SEEK_SET)
                out.seek(start)
                while start < end and (piece := os.read(source, min(_CHUNK, end - start))):
                    out.write(piece)
                    start += len(piece)


def _data(source: int, size: int) -> Iterator[tuple[int, int]]:
    """Where an open file holds data."""
    place = 0
    while place < size:
        try:
            start = os.lseek(source, place, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but a hole is left
                return
            raise
        place = min(os.lseek(source, start, os.SEEK_HOLE), size)
        yield start, place


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
