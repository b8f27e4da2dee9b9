"""One zip archive of plain files: written the same way every time, and read as if by an enemy.

Refused are bytes before the first file, paths that leave the folder, links and devices, names that stand
twice, encrypted members, and more files or bytes than are allowed, counted as they are unpacked and not as
the archive says.
"""

from __future__ import annotations

import io
import lzma
import shutil
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from assay.errors import UsageError
from assay.files import publishing
from assay.tasks.files import check_path

FILES = 200_000
BYTES = 16 * 1024**3
RATIO = 200
"""How many times its packed size a file may unpack to, past the first megabytes."""
SMALL = 16 * 1024**2
SMALL_LOG = 256 * 1024**2
"""As much may be in any log: one long text that a model repeats packs to almost nothing."""
_CHUNK = 1024 * 1024
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    EOFError,
    OSError,
    RuntimeError,
)
"""Errors of an archive that is damaged or of another kind."""
_ALREADY_PACKED = (".eval", ".gz", ".zip", ".png")
_EPOCH = (1980, 1, 1, 0, 0, 0)


def pack(files: Mapping[str, Path | bytes], target: Path) -> None:
    """Write an archive whose bytes depend on names and contents alone."""
    with publishing(target) as partial, zipfile.ZipFile(partial, "w") as archive:
        for name in sorted(files):
            _add(archive, check_path(name), files[name])


def _add(archive: zipfile.ZipFile, name: str, content: Path | bytes) -> None:
    member = zipfile.ZipInfo(name, date_time=_EPOCH)
    member.create_system = 3
    member.external_attr = (stat.S_IFREG | 0o644) << 16
    is_stored = name.endswith(_ALREADY_PACKED) or _packs_too_well(content)
    member.compress_type = zipfile.ZIP_STORED if is_stored else zipfile.ZIP_DEFLATED
    if isinstance(content, bytes):
        archive.writestr(member, content)
        return
    member.file_size = content.stat().st_size
    with content.open("rb") as source, archive.open(member, "w") as sink:
        shutil.copyfileobj(source, sink, _CHUNK)


def _packs_too_well(content: Path | bytes) -> bool:
    """Whether `unpack` would refuse the packed content as a bomb, as it would many megabytes of zeros."""
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    if size <= SMALL:
        return False
    packer = zlib.compressobj()
    with io.BytesIO(content) if isinstance(content, bytes) else content.open("rb") as source:
        chunks = iter(lambda: source.read(_CHUNK), b"")
        packed = sum(len(packer.compress(chunk)) for chunk in chunks) + len(packer.flush())
    return size > RATIO * packed // 2


def unpack(archive: Path, folder: Path, *, most_bytes: int = BYTES, most_files: int = FILES) -> list[str]:
    """Unpack an archive into an empty folder; the names of what was in it."""
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
            _check(archive, members, most_files)
            left = most_bytes
            for member in members:
                left -= _extract(opened, member, folder / member.filename, left)
            return [member.filename for member in members]
    except UNREADABLE as error:
        raise UsageError(f"{archive} cannot be read as an archive: {error}") from None


def refuse_bomb(log: Path, *, most_bytes: int = BYTES) -> None:
    """Refuse a log, itself a zip, that would unpack to more than is allowed."""
    try:
        with zipfile.ZipFile(log) as opened:
            size = sum(member.file_size for member in opened.infolist())
    except (zipfile.BadZipFile, OSError):
        # No zip at all: reading it will say so, and cannot blow up.
        return
    if size > min(most_bytes, max(SMALL_LOG, RATIO * log.stat().st_size)):
        raise UsageError(f"{log.name} would unpack to {size:,} bytes, far more than it holds; refused")


def _check(archive: Path, members: list[zipfile.ZipInfo], most_files: int) -> None:
    if len(members) > most_files:
        raise UsageError(f"{archive} holds {len(members):,} files; at most {most_files:,} are taken")
    if first := min((member.header_offset for member in members), default=0):
        # Other programs may read another archive there.
        raise UsageError(f"{archive} holds {first:,} bytes before its first file; refused")
    names: set[str] = set()
    for member in members:
        name, kind = member.filename, stat.S_IFMT(member.external_attr >> 16)
        try:
            check_path(name)
        except ValueError:
            raise UsageError(f"{archive} holds {name!r}, which is no plain path inside it; refused") from None
        if kind not in (0, stat.S_IFREG) or member.is_dir():
            raise UsageError(f"{archive} holds {name!r}, which is no plain file; refused")
        if name in names or any(str(parent) in names for parent in Path(name).parents):
            raise UsageError(f"{archive} holds {name!r} twice, or a file below a file; refused")
        if member.flag_bits & 1:
            raise UsageError(f"{archive} holds {name!r} encrypted; refused")
        names.add(name)


def _extract(opened: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, left: int) -> int:
    most = min(left, max(SMALL, RATIO * member.compress_size))
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with opened.open(member) as source, target.open("xb") as sink:
        while chunk := source.read(_CHUNK):
            written += len(chunk)
            if written > most:
                raise UsageError(f"{member.filename!r} unpacks to more than {most:,} bytes; refused")
            sink.write(chunk)
    return written
