"""A source with removed pieces, and its restoration."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.errors import MaskError


@dataclass(frozen=True, slots=True)
class Piece:
    """One replacement: `removed` was at `start` of the original, `inserted` replaces it."""

    name: str
    """The masked function, or the function that the removed prose revealed."""
    start: int
    removed: bytes
    inserted: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.removed)


@dataclass(frozen=True, slots=True)
class MaskedSource:
    """A masked source and its removed pieces, in the order of the source."""

    source: bytes
    removed: tuple[Piece, ...]
    encoding: str = "utf-8"
    """Encoding of the removed bytes."""

    def restore(self) -> bytes:
        """Return the original, byte for byte."""
        return restore(self)

    def bodies(self) -> dict[str, str]:
        """Return the removed text of each function, for `find_leaks`."""
        texts: dict[str, str] = {}
        for piece in self.removed:
            texts[piece.name] = texts.get(piece.name, "") + piece.removed.decode(self.encoding)
        return texts


def replace_pieces(source: bytes, pieces: Iterable[Piece], encoding: str = "utf-8") -> MaskedSource:
    """Replace each piece's old text by its new text; pieces must not overlap."""
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
    return MaskedSource(bytes(result), ordered, encoding)


def restore(masked: MaskedSource) -> bytes:
    """Insert every removed piece again; raise if a stub was changed."""
    result = bytearray()
    position = shift = 0
    for piece in masked.removed:
        start = piece.start + shift
        end = start + len(piece.inserted)
        if masked.source[start:end] != piece.inserted:
            raise MaskError(
                f"the stub of {piece.name} was moved or changed, so the original cannot be restored",
                hint="restore the masked source itself, not an edited copy",
            )
        result += masked.source[position:start]
        result += piece.removed
        position = end
        shift += len(piece.inserted) - len(piece.removed)
    result += masked.source[position:]
    return bytes(result)
