"""Copies files without their holes: a sparse file of a gigabyte is made with one command."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from typing import BinaryIO

_CHUNK = 1 << 20


def copy_data(source: int, target: BinaryIO, size: int) -> None:
    """Copy the first bytes of an open file into an empty one, in chunks and without the holes."""
    target.truncate(size)
    for start, end in _data_ranges(source, size):
        os.lseek(source, start, os.SEEK_SET)
        target.seek(start)
        while start < end and (piece := os.read(source, min(_CHUNK, end - start))):
            target.write(piece)
            start += len(piece)


def _data_ranges(source: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) ranges of an open file that contain data."""
    offset = 0
    while offset < size:
        try:
            start = os.lseek(source, offset, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # only a hole remains
                return
            raise
        offset = min(os.lseek(source, start, os.SEEK_HOLE), size)
        yield start, offset


def too_large(size: int, allowed: int) -> str | None:
    """Why a file of this size is refused; None if it is allowed."""
    if size <= allowed:
        return None
    return f"is too large: {size:,} bytes, at most {allowed:,} are allowed"
