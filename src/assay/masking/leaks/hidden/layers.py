"""A file, and everything that can be taken out of it, layer below layer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.masking.leaks.hidden.archives import Unreadable, members, streams
from assay.masking.leaks.hidden.budget import MOST_DEPTH, Budget, TooMuch
from assay.masking.leaks.hidden.encodings import decoded, spellings
from assay.rules.documents import read_json

_ZIPPED = (b"PK\x03\x04", b"PK\x05\x06")
_STREAMS = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x5d\0\0", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")
_KNOWN = (*_ZIPPED, *_STREAMS, b"\x80", b"\x7fELF")
"""How archives, compressed streams, pickles and libraries begin."""


@dataclass(frozen=True)
class Layer:
    """Contents that a reader of the file can get at."""

    where: str
    """The file's path, and after each `!` a part inside the one before."""
    data: bytes
    depth: int = 0

    @property
    def texts(self) -> Iterator[str]:
        """The contents as text, in every spelling; wide characters as plain ones."""
        data = self.data
        if data.count(b"\0") * 3 > len(data):
            data = data.replace(b"\0", b"")
        yield from spellings(data.decode(errors="replace"))
        if b'"cells"' in data:
            yield _notebook(data)

    @property
    def is_binary(self) -> bool:
        """Whether it is no plain text."""
        return b"\0" in self.data


@dataclass(frozen=True)
class Unread:
    """A part that could not be looked into."""

    where: str
    why: str


def layers(path: str, data: bytes) -> Iterator[Layer | Unread]:
    """The file itself, then what lies in it; what could not be looked into is named."""
    yield from _below(Layer(path, data), Budget())


def _below(layer: Layer, budget: Budget) -> Iterator[Layer | Unread]:
    yield layer
    if layer.depth >= MOST_DEPTH:
        if layer.data.startswith(_ZIPPED):
            yield Unread(layer.where, f"archives are nested more than {MOST_DEPTH} deep")
        return
    try:
        for part in _parts(layer, budget):
            yield from _below(part, budget)
    except (Unreadable, TooMuch) as error:
        yield Unread(layer.where, str(error))


def _parts(layer: Layer, budget: Budget) -> Iterator[Layer]:
    found = 0
    for name, data in members(layer.where, layer.data, budget):
        found += 1
        yield Layer(f"{layer.where}!{name}", data, layer.depth + 1)
    if found:
        return
    for name, data in streams(layer.data, budget):
        yield Layer(f"{layer.where}!{name}", data, layer.depth + 1)
    for name, data in decoded(layer.data):
        if _may_tell(data):
            budget.spend(len(data))
            yield Layer(f"{layer.where}!{name}", data, layer.depth + 1)


def _notebook(data: bytes) -> str:
    """Every text of a notebook, code and outputs; empty where it is none."""
    try:
        level = [read_json(data)]
    except ValueError:
        return ""
    texts: list[str] = []
    while level:
        texts += [each for each in level if isinstance(each, str)]
        lists = [each for each in level if isinstance(each, list)]
        # Lines of one text stand in a list; they belong together.
        texts += ["".join(each) for each in lists if all(isinstance(line, str) for line in each)]
        tables = [each.values() for each in level if isinstance(each, dict)]
        level = [inner for group in (*lists, *tables) for inner in group]
    return "\n".join(texts)


def _may_tell(data: bytes) -> bool:
    """Whether decoded bytes are text or a known form of code, not the noise that chance text decodes to."""
    if data.startswith(_KNOWN) or data[2:4] == b"\r\n":
        return True
    some = data[:2000].replace(b"\0", b"")
    plain = sum(32 <= byte < 127 or byte in b"\t\r\n" for byte in some)
    return plain > 0.85 * len(some) > 0
