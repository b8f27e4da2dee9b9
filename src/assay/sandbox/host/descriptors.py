"""File descriptors that are needed for a moment and closed once, whatever happens."""

from __future__ import annotations

import os
from typing import Self


class Descriptors:
    """Owns descriptors until the block ends, unless they are kept."""

    def __init__(self) -> None:
        self._open: set[int] = set()
        self.given: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in list(self._open):
            self.close(descriptor)

    def own(self, descriptor: int) -> int:
        """Close this one with the others."""
        self._open.add(descriptor)
        return descriptor

    def keep(self, descriptor: int) -> int:
        """Give this one to somebody who will close it."""
        self._open.remove(descriptor)
        return descriptor

    def close(self, descriptor: int) -> None:
        """Close this one now."""
        self._open.remove(descriptor)
        os.close(descriptor)

    def pipe(self) -> tuple[int, int]:
        """The reading and the writing end of a new pipe."""
        reading, writing = os.pipe()
        return self.own(reading), self.own(writing)

    def data(self, content: bytes) -> int:
        """A descriptor from which a child reads these bytes."""
        descriptor = self.own(os.memfd_create("assay", os.MFD_CLOEXEC))
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        self.given.append(descriptor)
        return descriptor
