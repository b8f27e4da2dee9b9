"""Copies the workspace of an ended sandbox into a fresh one, so that it can still be submitted.

The harness keeps a descriptor of every workspace, which outlives the sandbox. No process runs there any more,
so none can race the reading; links are copied and never followed. Files that are too large for a submission
become empty files of the same size.

What this does not cover: named pipes, sockets and devices, which cannot be submitted, and files at paths
that are longer than the limit.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tarfile
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from assay.errors import SandboxError
from assay.sandbox.bubblewrap.layout import disk_bytes
from assay.sandbox.host.scratch import scratch_folder
from assay.sandbox.session.box import Box
from assay.sandbox.supervision import in_thread

MAX_FILE_BYTES = 32 * 2**20
"""Largest file that is copied; a submission takes half of this."""
MAX_ENTRIES = 200_000
MAX_PATH_LENGTH = 3000
"""Longest path of a folder whose content is copied, in characters."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK = 1 << 20
_COMMAND_SECONDS = 300.0


async def control_sandbox_works(box: Box) -> bool:
    """Return whether a fresh sandbox like this one runs a command; if so, code inside caused the failure.

    This one is ended first: it may hold what the kernel gives each user once, such as descriptors in flight.
    """
    try:
        await box.end()
        async with Box(box.confinement) as control:
            return (await control.exec(["/bin/true"], timeout=_COMMAND_SECONDS)).returncode == 0
    except Exception:
        return False


@contextlib.asynccontextmanager
async def restored_box(box: Box) -> AsyncIterator[Box]:
    """Open a fresh sandbox with this one's workspace; end this one first if it still runs."""
    await box.end()
    async with Box(box.confinement) as fresh:
        with tempfile.TemporaryFile(dir=scratch_folder()) as archive:
            changes = await in_thread(lambda _: _pack(box, archive))
            archive.seek(0)
            for script, names in (
                ("xargs -0r rm -rf --", changes.removed),
                ("tar -xpf - --no-same-owner --delay-directory-restore", archive),
                ("xargs -0rn2 truncate -s", changes.oversized),
            ):
                content = names if not isinstance(names, list) else "".join(f"{name}\0" for name in names)
                data = os.fsencode(content) if isinstance(content, str) else content
                await fresh.exec(["/bin/sh", "-c", script], input=data, timeout=_COMMAND_SECONDS)
        yield fresh


@dataclass
class Changes:
    """Changes to the original workspace besides unpacking the archive."""

    removed: list[str] = field(default_factory=list)
    """Paths that no longer exist or have another file type."""
    oversized: list[str] = field(default_factory=list)
    """Alternating sizes and paths of files of which only the size is kept."""


def _pack(box: Box, archive: IO[bytes]) -> Changes:
    """Write the differences from the original workspace into an archive."""
    left_workspace = box.open_left_workspace()
    if left_workspace is None:
        raise SandboxError("the workspace of the ended sandbox cannot be read")
    changes, original = Changes(), box.confinement.workspace
    bytes_left = disk_bytes(box.confinement.limits)
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, status in _walk(left_workspace):
            if original is not None and _file_type(original / path) not in (
                None,
                stat.S_IFMT(status.st_mode),
            ):
                changes.removed.append(path)
            member = tarfile.TarInfo(path)
            member.mode = stat.S_IMODE(status.st_mode)
            if stat.S_ISDIR(status.st_mode):
                member.type = tarfile.DIRTYPE
                tar.addfile(member)
            elif stat.S_ISLNK(status.st_mode):
                member.type, member.linkname = tarfile.SYMTYPE, os.readlink(path, dir_fd=left_workspace)
                tar.addfile(member)
            elif stat.S_ISREG(status.st_mode):
                bytes_left -= _add_file(tar, member, left_workspace, original, changes, bytes_left)
    if original is not None:
        changes.removed += _removed_paths(original, left_workspace)
    os.close(left_workspace)
    return changes


def _add_file(
    tar: tarfile.TarFile,
    member: tarfile.TarInfo,
    workspace: int,
    original: Path | None,
    changes: Changes,
    bytes_left: int,
) -> int:
    """Add one file unless it is unchanged; return its number of bytes."""
    try:
        descriptor = _open_readable(member.name, workspace, _FILE)
    except OSError:
        changes.oversized += ["0", member.name]
        return 0
    with os.fdopen(descriptor, "rb") as file:
        member.size = os.fstat(file.fileno()).st_size
        if member.size > min(MAX_FILE_BYTES, bytes_left):
            changes.oversized += [str(member.size), member.name]
            return 0
        if original is not None and _has_same_content(file, original / member.name, member.size):
            return 0
        file.seek(0)
        tar.addfile(member, file)
        return member.size


def _walk(top: int) -> Iterator[tuple[str, os.stat_result]]:
    """Yield every entry below a folder, a folder before its content, without following links."""
    folders = ["."]
    count = 0
    while folders:
        folder_path = folders.pop()
        try:
            folder = _open_readable(folder_path, top, _FOLDER)
        except OSError:
            continue
        try:
            with os.scandir(folder) as entries:
                entries_by_name = sorted((entry.name, entry.stat(follow_symlinks=False)) for entry in entries)
        finally:
            os.close(folder)
        for name, status in entries_by_name[: MAX_ENTRIES - count]:
            count += 1
            path = os.path.normpath(f"{folder_path}/{name}")
            yield path, status
            if stat.S_ISDIR(status.st_mode) and len(path) < MAX_PATH_LENGTH:
                folders.append(path)


def _open_readable(path: str, top: int, flags: int) -> int:
    """Open an entry, and make it readable first if its mode forbids reading."""
    try:
        return os.open(path, flags, dir_fd=top)
    except PermissionError:
        os.chmod(path, 0o700, dir_fd=top)
        return os.open(path, flags, dir_fd=top)


def _has_same_content(file: IO[bytes], original: Path, size: int) -> bool:
    if original.is_symlink() or not original.is_file() or original.stat().st_size != size:
        return False
    with original.open("rb") as original_file:
        while chunk := file.read(_CHUNK):
            if chunk != original_file.read(_CHUNK):
                return False
    return True


def _removed_paths(original: Path, workspace: int) -> Iterator[str]:
    """Yield the original paths that no longer exist."""
    for path in sorted(original.rglob("*")):
        name = str(path.relative_to(original))
        try:
            os.stat(name, dir_fd=workspace, follow_symlinks=False)
        except OSError:
            yield name


def _file_type(path: Path) -> int | None:
    try:
        return stat.S_IFMT(path.lstat().st_mode)
    except OSError:
        return None
