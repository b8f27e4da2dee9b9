"""Limits what is unpacked from one file: a small archive can contain more than any disk, or take days."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

MAX_BYTES = 256 << 20
MAX_LAYERS = 20_000
MAX_DEPTH = 8
MAX_WORK = 1 << 30
"""Bytes that go into decoders and come out of them, also where nothing comes of it."""


class TooMuch(Exception):
    """The file contains more than the limit."""


@dataclass
class UnpackBudget:
    """The remaining budget of one file."""

    bytes_left: int = MAX_BYTES
    layers_left: int = MAX_LAYERS
    work_left: int = MAX_WORK
    depths: dict[tuple[bytes, bool], int] = field(default_factory=dict)
    """The depth of each known content, which is not searched twice."""

    def take(self, size: int) -> None:
        """Count one layer of this size; raise TooMuch if the budget is spent."""
        self.layers_left -= 1
        self.spend(size)

    def spend(self, size: int) -> None:
        """Count only the size."""
        self.check(size)
        self.bytes_left -= size

    def check(self, size: int) -> None:
        """Raise TooMuch if the budget has no room for one more layer of this size."""
        if self.layers_left < 0 or size > self.bytes_left:
            raise TooMuch(f"it unpacks to more than {MAX_BYTES >> 20} MiB or {MAX_LAYERS:,} parts")

    def work(self, size: int) -> None:
        """Count bytes that a decoder reads or writes; so each search ends in linear time."""
        self.work_left -= size
        if self.work_left < 0:
            raise TooMuch("it has too many places where compressed data may begin")

    def is_new(self, data: bytes, is_source: bool, depth: int) -> bool:
        """True if the content is not known from the same depth or above."""
        key = hashlib.sha256(data).digest(), is_source
        if self.depths.get(key, depth + 1) <= depth:
            return False
        self.depths[key] = depth
        return True
