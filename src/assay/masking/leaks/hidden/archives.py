"""Extracts members of archives and compressed streams at any position of a file."""

from __future__ import annotations

import bz2
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from assay.masking.leaks.hidden.budget import TooMuch, UnpackBudget

Part = tuple[str, bytes]
"""The name of a part inside its file, and its contents."""

_STREAM = re.compile(rb"\x1f\x8b\x08|BZh[1-9]1AY&SY|\xfd7zXZ\0|\x5d\0\0[\0-\xff]{2}|x[\x01\x5e\x9c\xda]")
_UNREADABLE = {b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar", b"\x28\xb5\x2f\xfd": "zstd"}
_MIN_STREAM_BYTES = 24
"""Random bytes rarely decompress to this many bytes; a function's text is longer."""
_PROBE = 4096
_MAX_STREAM_MARKERS = 200_000
"""Random data has one marker in 16,000 bytes; a file with many more would take hours to search."""
_LZMA_MEMORY = 256 << 20


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
    elif data[257:262] == b"ustar" or name.endswith(".tar"):
        yield from _tar_members(data, budget)


def _zip_members(data: bytes, budget: UnpackBudget) -> Iterator[Part]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if archive.comment:
                yield "comment", archive.comment
            for info in archive.infolist():
                if info.is_dir():
                    continue
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
    budget.take(len(data))
    return data


def streams(data: bytes, budget: UnpackBudget) -> Iterator[Part]:
    """Yield the contents of every gzip, bzip2, xz, lzma and zlib stream in a file.

    This finds compressed texts in pictures, documents, data sets and git packs without knowing their formats.
    """
    end = 0
    for number, match in enumerate(_STREAM.finditer(data)):
        offset = match.start()
        if number > _MAX_STREAM_MARKERS:
            raise TooMuch(f"it has more than {_MAX_STREAM_MARKERS:,} places where compressed data may begin")
        if offset < end:
            continue
        try:
            plain, used = _decompress(match.group(), memoryview(data)[offset:], budget.bytes_left + 1)
        except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error):
            continue
        if len(plain) >= _MIN_STREAM_BYTES:
            budget.take(len(plain))
            yield f"stream at byte {offset}", plain
            end = offset + used


def _decompress(magic: bytes, data: memoryview, max_bytes: int) -> tuple[bytes, int]:
    """Return the plain bytes, and the number of compressed bytes."""
    decoder: Any
    if magic.startswith(b"\x1f\x8b"):
        decoder = zlib.decompressobj(31)
    elif magic.startswith(b"BZh"):
        decoder = bz2.BZ2Decompressor()
    elif magic.startswith((b"\xfd7z", b"\x5d")):
        decoder = lzma.LZMADecompressor(memlimit=_LZMA_MEMORY)
    else:
        decoder = zlib.decompressobj()
    short = magic.startswith((b"\x1f\x8b", b"x"))
    # Short markers occur by chance: a test of the beginning keeps the search linear.
    if short and not decoder.copy().decompress(data[:_PROBE], _MIN_STREAM_BYTES):
        raise ValueError("nothing comes of its beginning")
    plain: bytes = decoder.decompress(data, max_bytes)
    return plain, len(data) - len(decoder.unused_data) if decoder.eof else 1
