"""Members of archives and contents of compressed streams, wherever they begin in a file."""

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

from assay.masking.leaks.hidden.budget import Budget, TooMuch

Part = tuple[str, bytes]
"""The name of a part inside its file, and its contents."""

_STREAM = re.compile(rb"\x1f\x8b\x08|BZh[1-9]1AY&SY|\xfd7zXZ\0|\x5d\0\0[\0-\xff]{2}|x[\x01\x5e\x9c\xda]")
_UNREADABLE = {b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar", b"\x28\xb5\x2f\xfd": "zstd"}
_LEAST_STREAM = 24
"""Bytes that chance bytes rarely decompress to; a function's text is longer."""
_PROBE = 4096
_MOST_MARKS = 200_000
"""Chance gives one in 16,000 bytes; a file with far more would take hours to search."""
_LZMA_MEMORY = 256 << 20


class Unreadable(Exception):
    """The file is an archive, and it cannot be opened."""


def members(name: str, data: bytes, budget: Budget) -> Iterator[Part]:
    """What lies in a file that is an archive; nothing where it is none."""
    for magic, kind in _UNREADABLE.items():
        if data.startswith(magic):
            raise Unreadable(f"it is a {kind} archive, which Assay cannot open")
    if b"PK\x03\x04" in data and zipfile.is_zipfile(io.BytesIO(data)):
        yield from _zip_members(data, budget)
    elif data.startswith(b"PK\x03\x04"):
        raise Unreadable("it is a broken zip archive")
    elif data[257:262] == b"ustar" or name.endswith(".tar"):
        yield from _tar_members(data, budget)


def _zip_members(data: bytes, budget: Budget) -> Iterator[Part]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if archive.comment:
                yield "comment", archive.comment
            for info in archive.infolist():
                if info.is_dir():
                    continue
                if info.flag_bits & 1:
                    raise Unreadable(f"its part {info.filename!r} is encrypted")
                with archive.open(info) as stream:
                    yield info.filename, _bounded(stream.read, budget)
    except (TooMuch, Unreadable):
        raise
    except Exception as error:
        # Damaged archives raise nearly anything: struct.error, EOFError, NotImplementedError and so on.
        raise Unreadable(f"it is a zip archive that cannot be read: {error}") from None


def _tar_members(data: bytes, budget: Budget) -> Iterator[Part]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for info in archive:
                stream = archive.extractfile(info) if info.isreg() else None
                if stream is not None:
                    yield info.name, _bounded(stream.read, budget)
    except TooMuch:
        raise
    except Exception as error:
        raise Unreadable(f"it is a tar archive that cannot be read: {error}") from None


def _bounded(read: Callable[[int], bytes], budget: Budget) -> bytes:
    """The contents of a part; one byte more than is left shows that it is too large."""
    data = read(budget.bytes_left + 1)
    budget.take(len(data))
    return data


def streams(data: bytes, budget: Budget) -> Iterator[Part]:
    """What every gzip, bzip2, xz, lzma and zlib stream in a file decompresses to.

    So compressed texts of pictures, documents, data sets and packs of git are found without their formats.
    """
    end = 0
    for number, found in enumerate(_STREAM.finditer(data)):
        at = found.start()
        if number > _MOST_MARKS:
            raise TooMuch(f"it has more than {_MOST_MARKS:,} places where compressed data may begin")
        if at < end:
            continue
        try:
            plain, used = _decompressed(found.group(), memoryview(data)[at:], budget.bytes_left + 1)
        except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error):
            continue
        if len(plain) >= _LEAST_STREAM:
            budget.take(len(plain))
            yield f"stream at byte {at}", plain
            end = at + used


def _decompressed(magic: bytes, data: memoryview, most: int) -> tuple[bytes, int]:
    """The plain bytes, and how many bytes of the data they took."""
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
    # Short marks are met by chance: a look at the beginning keeps the search linear.
    if short and not decoder.copy().decompress(data[:_PROBE], _LEAST_STREAM):
        raise ValueError("nothing comes of its beginning")
    plain: bytes = decoder.decompress(data, most)
    return plain, len(data) - len(decoder.unused_data) if decoder.eof else 1
