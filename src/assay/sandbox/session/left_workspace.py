"""The workspace that an ended sandbox left, put into a fresh one: it is handed in as it was.

The harness holds a descriptor of every workspace, which outlives the sandbox. Nothing runs there any more, so
nothing can race the reading; links are copied and never followed. Files that are too large to be handed in
come as empty files of the same size.

What this does not cover: named pipes, sockets and devices, which are no files to hand in, and what lies
deeper than a path can name.
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

LARGEST = 32 * 2**20
"""A larger file is not copied; a submission takes half of this."""
MOST_ENTRIES = 200_000
LONGEST = 3000
"""Characters of a folder's path; nothing below a longer one is looked at."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK = 1 << 20
_COMMAND_SECONDS = 300.0


async def control_answers(box: Box) -> bool:
    """Whether a fresh sandbox like this one runs a command: then this one's failure is its own doing."""
    try:
        async with Box(box.confinement) as control:
            return (await control.exec(["/bin/true"], timeout=_COMMAND_SECONDS)).returncode == 0
    except Exception:
        return False


@contextlib.asynccontextmanager
async def revived(box: Box) -> AsyncIterator[Box]:
    """A fresh sandbox with the workspace as this one left it, which is ended first where it still runs."""
    await box.end()
    async with Box(box.confinement) as fresh:
        with tempfile.TemporaryFile(dir=scratch_folder()) as archive:
            changes = await in_thread(lambda _: _pack(box, archive))
            archive.seek(0)
            for script, names in (
                ("xargs -0r rm -rf --", changes.gone),
                ("tar -xpf - --no-same-owner --delay-directory-restore", archive),
                ("xargs -0rn2 truncate -s", changes.large),
            ):
                given = names if not isinstance(names, list) else "".join(f"{name}\0" for name in names)
                data = os.fsencode(given) if isinstance(given, str) else given
                await fresh.exec(["/bin/sh", "-c", script], input=data, timeout=_COMMAND_SECONDS)
        yield fresh


@dataclass
class Changes:
    """What must be done to the given workspace besides unpacking."""

    gone: list[str] = field(default_factory=list)
    """Paths that are no longer there, or are now of another kind."""
    large: list[str] = field(default_factory=list)
    """Sizes and paths in turn: files of which only the size is kept."""


def _pack(box: Box, archive: IO[bytes]) -> Changes:
    """Write what differs from the given workspace into an archive."""
    remains = box.remains()
    if remains is None:
        raise SandboxError("the ended sandbox left no workspace that can be read")
    changes, given = Changes(), box.confinement.workspace
    left = disk_bytes(box.confinement.limits)
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, status in _walk(remains):
            if given is not None and _kind(given / path) not in (None, stat.S_IFMT(status.st_mode)):
                changes.gone.append(path)
            member = tarfile.TarInfo(path)
            member.mode = stat.S_IMODE(status.st_mode)
            if stat.S_ISDIR(status.st_mode):
                member.type = tarfile.DIRTYPE
                tar.addfile(member)
            elif stat.S_ISLNK(status.st_mode):
                member.type, member.linkname = tarfile.SYMTYPE, os.readlink(path, dir_fd=remains)
                tar.addfile(member)
            elif stat.S_ISREG(status.st_mode):
                left -= _add(tar, member, remains, given, changes, left)
    if given is not None:
        changes.gone += _missing(given, remains)
    os.close(remains)
    return changes


def _add(
    tar: tarfile.TarFile,
    member: tarfile.TarInfo,
    remains: int,
    given: Path | None,
    changes: Changes,
    left: int,
) -> int:
    """Add one file unless it is as it was given; how many bytes it took."""
    try:
        descriptor = _opened(member.name, remains, _FILE)
    except OSError:
        changes.large += ["0", member.name]
        return 0
    with os.fdopen(descriptor, "rb") as file:
        member.size = os.fstat(file.fileno()).st_size
        if member.size > min(LARGEST, left):
            changes.large += [str(member.size), member.name]
            return 0
        if given is not None and _same(file, given / member.name, member.size):
            return 0
        file.seek(0)
        tar.addfile(member, file)
        return member.size


def _walk(top: int) -> Iterator[tuple[str, os.stat_result]]:
    """Every entry below a folder, a folder before what is in it; only real folders are entered."""
    waiting = ["."]
    seen = 0
    while waiting:
        place = waiting.pop()
        try:
            folder = _opened(place, top, _FOLDER)
        except OSError:
            continue
        try:
            with os.scandir(folder) as entries:
                found = sorted((entry.name, entry.stat(follow_symlinks=False)) for entry in entries)
        finally:
            os.close(folder)
        for name, status in found[: MOST_ENTRIES - seen]:
            seen += 1
            path = os.path.normpath(f"{place}/{name}")
            yield path, status
            if stat.S_ISDIR(status.st_mode) and len(path) < LONGEST:
                waiting.append(path)


def _opened(path: str, top: int, flags: int) -> int:
    """A descriptor of an entry, made readable where its owner had closed it."""
    try:
        return os.open(path, flags, dir_fd=top)
    except PermissionError:
        os.chmod(path, 0o700, dir_fd=top)
        return os.open(path, flags, dir_fd=top)


def _same(file: IO[bytes], given: Path, size: int) -> bool:
    if given.is_symlink() or not given.is_file() or given.stat().st_size != size:
        return False
    with given.open("rb") as before:
        while chunk := file.read(_CHUNK):
            if chunk != before.read(_CHUNK):
                return False
    return True


def _missing(given: Path, remains: int) -> Iterator[str]:
    """The given paths that are no longer there."""
    for path in sorted(given.rglob("*")):
        name = str(path.relative_to(given))
        try:
            os.stat(name, dir_fd=remains, follow_symlinks=False)
        except OSError:
            yield name


def _kind(path: Path) -> int | None:
    try:
        return stat.S_IFMT(path.lstat().st_mode)
    except OSError:
        return None
