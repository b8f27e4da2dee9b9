"""Extracts members of zip and tar archives."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator

from assay.masking.leaks.hidden.budget import TooMuch, UnpackBudget
from assay.masking.leaks.hidden.streams import Part

_UNREADABLE = {b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar", b"\x28\xb5\x2f\xfd": "zstd"}


class UnreadableArchive(Exception):
    """The file is an archive that cannot be opened."""


def members(name: str, data: bytes, budget: UnpackBudget) -> Iterator[Part]:
    """Yield the members of an archive; nothing for other files."""
    for magic, kind in _UNREADABLE.items():
        if data.startswith(magic):
            raise UnreadableArchive(f"it is a {kind} archive, which Assay cannot open")
    if b"PK\x03\x04" in data and zipfile.is_zipfile(io.BytesIO(data)):
        yield from _zip_members(data, budget)
    elif data.startswith(b"PK\x03\x04"):
        raise UnreadableArchive("it is a broken zip archive")
    if data[257:262] == b"ustar" or name.endswith(".tar"):
        yield from _tar_members(data, budget)


def _zip_members(data: bytes, budget: UnpackBudget) -> Iterator[Part]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if archive.comment:
                yield "comment", archive.comment
            for info in archive.infolist():
                if info.flag_bits & 1:
                    raise UnreadableArchive(f"its part {info.filename!r} is encrypted")
                with archive.open(info) as stream:
                    yield info.filename, _read_within_budget(stream.read, budget)
    except (TooMuch, UnreadableArchive):
        raise
    except Exception as error:
        # Damaged archives raise nearly anything: struct.error, EOFError, NotImplementedError and so on.
        raise UnreadableArchive(f"it is a zip archive that cannot be read: {error}") from None


def _tar_members(data: bytes, budget: UnpackBudget) -> Iterator[Part]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for info in archive:
                stream = archive.extractfile(info) if info.isreg() else None
                if stream is not None:
                    yield info.name, _read_within_budget(stream.read, budget)
    except TooMuch:
        raise
    except Exception as error:
        raise UnreadableArchive(f"it is a tar archive that cannot be read: {error}") from None


def _read_within_budget(read: Callable[[int], bytes], budget: UnpackBudget) -> bytes:
    """Read a part; one byte more than the budget shows that it is too large."""
    data = read(budget.bytes_left + 1)
    budget.work(len(data))
    budget.check(len(data))
    return data
