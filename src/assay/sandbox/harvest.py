"""Reads files from a dead sandbox: only regular files, no links that leave the workspace, limited sizes.

The harness opens every path one component at a time without following links, from a descriptor of the
workspace that outlives its sandbox. No process runs there any more, so none can race the reading.
If a file is a link, the harness resolves the links one by one, and none may leave the workspace:
`ln -s runs/latest/results.json results.json` is common, and as harmless as a copy.
With a target folder, files are copied there in chunks and without their holes: an agent creates a
sparse file of a gigabyte with one command, and copying it must be as cheap.
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
from assay.rules.sparse_files import copy_data, too_large
from assay.sandbox.confinement import WORKSPACE

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAX_DEPTH = 64
_MAX_LINKS = 8
_MAX_FILES = 20_000
_CHUNK = 1 << 20
_LINK = "is a symbolic link"
MAX_MEMORY_BYTES = 256 << 20
"""Bytes of all files together, if they do not go to a target folder."""


def check_patterns(patterns: Sequence[str]) -> None:
    """Raise if a pattern leaves the workspace."""
    for pattern in patterns:
        path = PurePosixPath(pattern)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise UsageError(f"{pattern!r} cannot be collected: expected a path below the workspace")


class Harvest:
    """Collects the files that patterns name."""

    def __init__(self, *, file_bytes: int, total_bytes: int, target_folder: Path | None = None) -> None:
        self._file_bytes = file_bytes
        self._bytes_left = total_bytes if target_folder is not None else min(total_bytes, MAX_MEMORY_BYTES)
        self._target_folder = target_folder
        self.files: dict[str, bytes] = {}
        """Path -> content; empty if files go to a target folder."""
        self.saved: dict[str, Path] = {}
        """Path -> copy in the target folder, under a name that the agent did not choose."""
        self.refused: dict[str, str] = {}

    def collect(self, folder: int, patterns: Sequence[str]) -> None:
        """Take every file that a pattern names below an open folder; `**` matches any folders."""
        check_patterns(patterns)
        for pattern in patterns:
            self._match(folder, "", PurePosixPath(pattern).parts, 0)
        for path in [path for path, why in self.refused.items() if why == _LINK]:
            self._take_linked(folder, path)

    def _match(self, folder: int, prefix: str, parts: Sequence[str], depth: int) -> None:
        if len(self.files) + len(self.saved) + len(self.refused) > _MAX_FILES or depth > _MAX_DEPTH:
            self.refused[prefix or "."] = "too many files or too deep"
            return
        first, later_parts = parts[0], parts[1:]
        if first == "**":
            self._match(folder, prefix, later_parts or ("*",), depth)
        for name in _names(folder, first):
            path = f"{prefix}{name}"
            remaining = parts if first == "**" else later_parts
            if not remaining:
                self._take(folder, name, path)
            else:
                self._descend(folder, name, path, remaining, depth, searching=first == "**")

    def _descend(
        self, folder: int, name: str, path: str, parts: Sequence[str], depth: int, *, searching: bool
    ) -> None:
        try:
            subfolder = os.open(name, _FOLDER, dir_fd=folder)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and _is_link(folder, name):
                if not searching:
                    self.refused[path] = _LINK
            elif error.errno not in (errno.ENOENT, errno.ENOTDIR):
                self.refused[path] = f"cannot be read: {os.strerror(error.errno or 0)}"
            return
        try:
            self._match(subfolder, f"{path}/", parts, depth + 1)
        finally:
            os.close(subfolder)

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
        """Take the plain file of the workspace that a link points to; other links stay refused."""
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
        elif reason := too_large(status.st_size, min(self._file_bytes, self._bytes_left)):
            self.refused[path] = reason
        else:
            self._bytes_left -= status.st_size
            if self._target_folder is None:
                chunks = iter(lambda: os.read(descriptor, _CHUNK), b"")
                self.files[path] = b"".join(chunks)
            else:
                self.saved[path] = self._target_folder / f"{len(self.saved)}"
                copy_sparse(descriptor, self.saved[path], status.st_size)


def _open_linked(root: int, path: str) -> int:
    """Open the plain file that a path reaches through links that never leave the workspace."""
    remaining, resolved, links = path.split("/"), list[str](), 0
    while remaining and links <= _MAX_LINKS and len(resolved) <= _MAX_DEPTH:
        name = remaining.pop(0)
        with _open_folder_below(root, resolved) as folder:
            target = os.readlink(name, dir_fd=folder) if _is_link(folder, name) else None
        if target is not None:
            links += 1
            if target.startswith("/"):
                target, resolved = _workspace_relative(target), []
            remaining = [*target.split("/"), *remaining]
        elif name == "..":
            if not resolved:
                raise _link_error()
            resolved.pop()
        elif name not in ("", "."):
            resolved.append(name)
    if remaining or not resolved:
        raise _link_error()
    with _open_folder_below(root, resolved[:-1]) as folder:
        return _open_plain(folder, resolved[-1])


def _workspace_relative(target: str) -> str:
    """Return an absolute link target as a path relative to the workspace."""
    if target != WORKSPACE and not target.startswith(f"{WORKSPACE}/"):
        raise _link_error()
    return target.removeprefix(WORKSPACE)


def _link_error() -> OSError:
    return OSError(errno.ELOOP, "the link points to no file of the workspace")


def _open_plain(folder: int, name: str) -> int:
    if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise OSError(errno.EINVAL, "not a plain file")
    return os.open(name, _FILE, dir_fd=folder)


@contextmanager
def _open_folder_below(root: int, folders: Sequence[str]) -> Iterator[int]:
    """Open a folder below an open one, through real folders only."""
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
    """Copy an open file in chunks, without its holes."""
    with DiskFull.named(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as out:
            copy_data(source, out, size)


def _names(folder: int, part: str) -> Iterator[str]:
    if part == "**":
        yield from sorted(os.listdir(folder))
    elif any(wildcard in part for wildcard in "*?["):
        yield from sorted(name for name in os.listdir(folder) if fnmatchcase(name, part))
    else:
        yield part


def _is_link(folder: int, name: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False
