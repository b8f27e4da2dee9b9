"""A source with pieces taken out, and the way back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.errors import MaskError


@dataclass(frozen=True, slots=True)
class Piece:
    """One replacement: `removed` stood at `start` of the original, `inserted` stands there now."""

    name: str
    """The function the piece was taken from, or whose secret it told."""
    start: int
    removed: bytes
    inserted: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.removed)


@dataclass(frozen=True, slots=True)
class Masked:
    """A masked source and what was taken out of it, in the order of the source."""

    source: bytes
    removed: tuple[Piece, ...]
    encoding: str = "utf-8"
    """How to decode what was removed."""

    def restore(self) -> bytes:
        """The original, byte for byte."""
        return restore(self)

    def bodies(self) -> dict[str, str]:
        """What was taken out, by function: what `find_leaks` looks for elsewhere."""
        texts: dict[str, str] = {}
        for piece in self.removed:
            texts[piece.name] = texts.get(piece.name, "") + piece.removed.decode(self.encoding)
        return texts


def replace(source: bytes, pieces: Iterable[Piece], encoding: str = "utf-8") -> Masked:
    """Put each piece's new text where its old one stands; pieces may not overlap."""
    ordered = tuple(sorted(pieces, key=lambda piece: (piece.start, piece.end)))
    result = bytearray()
    position = 0
    for piece in ordered:
        assert position <= piece.start, "pieces overlap"
        assert source[piece.start : piece.end] == piece.removed, "a piece is not of this source"
        result += source[position : piece.start]
        result += piece.inserted
        position = piece.end
    result += source[position:]
    return Masked(bytes(result), ordered, encoding)


def restore(masked: Masked) -> bytes:
    """Put every removed piece back; refuses a source that was changed where the stubs stand."""
    result = bytearray()
    position = shift = 0
    for piece in masked.removed:
        start = piece.start + shift
        end = start + len(piece.inserted)
        if masked.source[start:end] != piece.inserted:
            raise MaskError(
                f"the stub of {piece.name} is not where it was put, so the original cannot be restored",
                hint="restore the masked source itself, not an edited copy",
            )
        result += masked.source[position:start]
        result += piece.removed
        position = end
        shift += len(piece.inserted) - len(piece.removed)
    result += masked.source[position:]
    return bytes(result)
