"""Closes temporary file descriptors exactly once, also after an error."""

from __future__ import annotations

import os
from typing import Self


class Descriptors:
    """Closes its descriptors when the block ends, except released ones."""

    def __init__(self) -> None:
        self._open: set[int] = set()
        self.data_descriptors: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in list(self._open):
            self.close(descriptor)

    def add(self, descriptor: int) -> int:
        """Add a descriptor, to close it when the block ends."""
        self._open.add(descriptor)
        return descriptor

    def release(self, descriptor: int) -> int:
        """Remove a descriptor: from now on the caller closes it."""
        self._open.remove(descriptor)
        return descriptor

    def close(self, descriptor: int) -> None:
        """Close a descriptor now."""
        self._open.remove(descriptor)
        os.close(descriptor)

    def pipe(self) -> tuple[int, int]:
        """Return the read end and the write end of a new pipe."""
        read_end, write_end = os.pipe()
        return self.add(read_end), self.add(write_end)

    def data(self, content: bytes) -> int:
        """Return a descriptor from which a child process reads these bytes."""
        descriptor = self.add(os.memfd_create("assay", os.MFD_CLOEXEC))
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        self.data_descriptors.append(descriptor)
        return descriptor
