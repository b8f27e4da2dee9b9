"""Limits how much is unpacked from one file: a small archive can contain more than any disk."""

from __future__ import annotations

from dataclasses import dataclass

MAX_BYTES = 256 << 20
MAX_LAYERS = 20_000
MAX_DEPTH = 8


class TooMuch(Exception):
    """The file contains more than the limit."""


@dataclass
class UnpackBudget:
    """The remaining budget of one file."""

    bytes_left: int = MAX_BYTES
    layers_left: int = MAX_LAYERS

    def take(self, size: int) -> None:
        """Count one layer of this size; raise TooMuch if the budget is spent."""
        self.layers_left -= 1
        self.spend(size)

    def spend(self, size: int) -> None:
        """Count only the size."""
        self.bytes_left -= size
        if self.layers_left < 0 or self.bytes_left < 0:
            raise TooMuch(f"it unpacks to more than {MAX_BYTES >> 20} MiB or {MAX_LAYERS:,} parts")
