"""How much may be unpacked of one file: a small archive can hold more than any disk."""

from __future__ import annotations

from dataclasses import dataclass

MOST_BYTES = 256 << 20
MOST_LAYERS = 20_000
MOST_DEPTH = 8


class TooMuch(Exception):
    """The file holds more than may be unpacked."""


@dataclass
class Budget:
    """What is left of one file's allowance."""

    bytes_left: int = MOST_BYTES
    layers_left: int = MOST_LAYERS

    def take(self, size: int) -> None:
        """Count one layer of this size; raises TooMuch where the allowance is spent."""
        self.layers_left -= 1
        self.spend(size)

    def spend(self, size: int) -> None:
        """Count the size alone."""
        self.bytes_left -= size
        if self.layers_left < 0 or self.bytes_left < 0:
            raise TooMuch(f"it unpacks to more than {MOST_BYTES >> 20} MiB or {MOST_LAYERS:,} parts")
