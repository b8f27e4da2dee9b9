"""Decompresses streams at any position of a file: gzip, zlib, bzip2, xz, lzma, and entries of zip archives.

A stream that breaks, or whose checksum is wrong, yields what came before. What it does not cover: deflate
data without a header (except at the beginning), zlib data with a preset dictionary, and other compression.
"""

from __future__ import annotations

import bz2
import lzma
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from assay.masking.leaks.hidden.budget import UnpackBudget

Part = tuple[str, bytes]
"""The name of a part inside its file, and its contents."""
_NewDecoder = Callable[[], Any]


def _one_of(characters: list[int]) -> bytes:
    return b"[" + b"".join(b"\\x%02x" % character for character in characters) + b"]"


def _zlib_headers() -> Iterator[bytes]:
    """Yield a pattern for each window size: the flags make the header a multiple of 31."""
    for first in range(0x08, 0x80, 0x10):
        flags = [flag for flag in range(256) if (first * 256 + flag) % 31 == 0 and not flag & 0x20]
        yield _one_of([first]) + b"(?=" + _one_of(flags) + _DEFLATE + b")"


_DEFLATE = _one_of([byte for byte in range(256) if byte >> 1 & 3 != 3])
"""The first byte of deflate data: block type 3 does not exist."""
# Each marker consumes one byte, so that no marker hides another one.
_LONG_MARKERS = [
    rb"\x1f(?=\x8b\x08[\x00-\x1f])",
    rb"B(?=Zh[1-9]1AY&SY)",
    rb"\xfd(?=7zXZ\x00)",
    rb"P(?=K\x03\x04)",
]
"""Markers that random bytes hardly have."""
_LONG_MARKER = re.compile(b"|".join(_LONG_MARKERS))
_MARKER = re.compile(b"|".join([*_LONG_MARKERS, rb"\x5d(?=\x00\x00)", *_zlib_headers()]))
_TEXT = re.compile(rb"(?:[\t\r\n -~]\x00{0,3}){24}")
"""Random bytes do not have this many printable characters in a row; a function's text has."""
_MIN_DISTINCT = 8
"""Random bytes that decompress to something repeat few characters."""
_MIN_STREAM_BYTES = 24
_LZMA_MEMORY = 256 << 20
_ERRORS = (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error)
_FIRST_CHUNK = 512
_CHUNK = 1 << 14
_PIECE = 1 << 20
_SMALL_PIECE = 64
"""A decoder that meets an error loses the piece that it was making."""
_MARKER_WORK = 1 << 10
_STEP_WORK = 1 << 6
_NOISE_WORK = 8
"""Looking for text in a broken stream takes longer than decompressing it."""
_ZIP_ENTRY = struct.Struct("<4s5H3L2H")
_ZIP_DEFLATE, _ZIP_LZMA = 8, 14


def has_text(data: bytes) -> bool:
    """True if data have a row of printable characters, narrow or wide, that is no chance."""
    return any(len(set(match.group())) >= _MIN_DISTINCT for match in _TEXT.finditer(data))


def streams(data: bytes, budget: UnpackBudget) -> Iterator[Part]:
    """Yield the contents of every compressed stream in a file.

    This finds compressed texts in pictures, documents, data sets and git packs without knowing their formats.
    """
    yield from _stream(data, 0, 0, _raw_deflate, budget)
    for match in _MARKER.finditer(data):
        budget.work(_MARKER_WORK)
        offset = match.start()
        start, new_decoder = _decoder_at(data, offset, budget)
        if start < len(data):
            yield from _stream(data, offset, start, new_decoder, budget)


def _stream(
    data: bytes, offset: int, start: int, new_decoder: _NewDecoder, budget: UnpackBudget
) -> Iterator[Part]:
    plain, end = _decompress(memoryview(data)[start:], new_decoder, budget)
    if len(plain) < _MIN_STREAM_BYTES:
        return
    is_whole = end is not None and (
        new_decoder is not _raw_deflate or _has_checksum(data[start + end : start + end + 8], plain)
    )
    if not is_whole:
        budget.work(_NOISE_WORK * len(plain))
    if is_whole or has_text(plain) or _LONG_MARKER.search(plain):
        yield f"stream at byte {offset}", plain


def _has_checksum(trailer: bytes, plain: bytes) -> bool:
    return (
        trailer[:4] == zlib.adler32(plain).to_bytes(4, "big")
        or trailer == struct.pack("<LL", zlib.crc32(plain), len(plain) & 0xFFFFFFFF)
    )  # fmt: skip


def _raw_deflate() -> Any:
    # The checksum is compared later: a wrong one must not cost the text.
    return zlib.decompressobj(-15)


def _lzma() -> Any:
    return lzma.LZMADecompressor(memlimit=_LZMA_MEMORY)


def _decoder_at(data: bytes, offset: int, budget: UnpackBudget) -> tuple[int, _NewDecoder]:
    """Return where the compressed bytes begin, and their decoder."""
    first = data[offset : offset + 1]
    if first == b"\x1f":
        return _after_gzip_header(data, offset, budget), _raw_deflate
    if first == b"B":
        return offset, bz2.BZ2Decompressor
    if first in (b"\xfd", b"\x5d"):
        return offset, _lzma
    if first == b"P":
        return _after_zip_header(data, offset)
    return offset + 2, _raw_deflate


def _after_gzip_header(data: bytes, offset: int, budget: UnpackBudget) -> int:
    flags = data[offset + 3]
    position = offset + 10
    if flags & 4:
        position += 2 + int.from_bytes(data[position : position + 2], "little")
    for text_flag in (8, 16):
        if flags & text_flag:
            end = data.find(b"\0", position)
            end = len(data) if end < 0 else end
            budget.work(max(end - position, 0) // 8)
            position = end + 1
    return position + 2 if flags & 2 else position


def _after_zip_header(data: bytes, offset: int) -> tuple[int, _NewDecoder]:
    """Return where the contents of a zip entry begin; stored contents are searched with the file itself."""
    if offset + _ZIP_ENTRY.size > len(data):
        return len(data), _raw_deflate
    _, _, _, method, _, _, _, _, _, name_length, extra_length = _ZIP_ENTRY.unpack_from(data, offset)
    start = offset + _ZIP_ENTRY.size + name_length + extra_length
    if method == _ZIP_DEFLATE:
        return start, _raw_deflate
    if method == _ZIP_LZMA:
        # Zip stores two bytes of version and two of length, then the settings; the plain length is unknown.
        header = data[start + 4 : start + 9] + b"\xff" * 8
        return start + 9, lambda: _with_header(header)
    return len(data), _raw_deflate


def _with_header(header: bytes) -> Any:
    decoder = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=_LZMA_MEMORY)
    decoder.decompress(header)
    return decoder


def _decompress(data: memoryview, new_decoder: _NewDecoder, budget: UnpackBudget) -> tuple[bytes, int | None]:
    """Return the plain bytes, and the number of compressed bytes; None if the stream breaks or has no end."""
    plain = bytearray()
    position = whole_length = 0
    try:
        decoder = new_decoder()
        while not decoder.eof and position < len(data):
            chunk = data[position : position + (_CHUNK if position else _FIRST_CHUNK)]
            _feed(decoder, chunk, _PIECE, plain, budget)
            position += len(chunk)
            whole_length = len(plain)
    except _ERRORS:
        del plain[whole_length:]
        _feed_until_break(data, new_decoder, position, plain, budget)
        return bytes(plain), None
    return bytes(plain), position - len(decoder.unused_data) if decoder.eof else None


def _feed_until_break(
    data: memoryview, new_decoder: _NewDecoder, position: int, plain: bytearray, budget: UnpackBudget
) -> None:
    """Add what comes of the bytes after a position, in small steps, until the stream breaks."""
    try:
        decoder = new_decoder()
        if position:
            _feed(decoder, data[:position], _PIECE, bytearray(), budget)
        for step in range(position, len(data)):
            budget.work(_STEP_WORK)
            _feed(decoder, data[step : step + 1], _SMALL_PIECE, plain, budget)
            if decoder.eof:
                return
    except _ERRORS:
        return


def _feed(decoder: Any, chunk: memoryview, size: int, plain: bytearray, budget: UnpackBudget) -> None:
    """Add what a chunk decompresses to, in pieces of a limited size."""
    rest: memoryview | bytes = chunk
    while True:
        piece = decoder.decompress(rest, size)
        plain += piece
        budget.work(len(rest) + len(piece))
        budget.check(len(plain))
        rest = getattr(decoder, "unconsumed_tail", b"")
        if decoder.eof or not (rest or len(piece) == size):
            return
