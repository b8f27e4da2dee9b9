"""Extracts everything from a file, layer by layer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.masking.leaks.hidden.archives import UnreadableArchive, members, streams
from assay.masking.leaks.hidden.budget import MAX_DEPTH, TooMuch, UnpackBudget
from assay.masking.leaks.hidden.encodings import decode_texts, spellings
from assay.rules.documents import read_json

_ZIPPED = (b"PK\x03\x04", b"PK\x05\x06")
_STREAMS = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x5d\0\0", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")
_KNOWN_PREFIXES = (*_ZIPPED, *_STREAMS, b"\x80", b"\x7fELF")
"""First bytes of archives, compressed streams, pickles and libraries."""


@dataclass(frozen=True)
class Layer:
    """Content that a reader of the file can extract."""

    where: str
    """The file's path, and after each `!` a part inside the previous part."""
    data: bytes
    depth: int = 0

    @property
    def texts(self) -> Iterator[str]:
        """The content as text, in every spelling; wide characters become plain ones."""
        data = self.data
        if data.count(b"\0") * 3 > len(data):
            data = data.replace(b"\0", b"")
        yield from spellings(data.decode(errors="replace"))
        if b'"cells"' in data:
            yield _notebook(data)

    @property
    def is_binary(self) -> bool:
        """True if it is not plain text."""
        return b"\0" in self.data


@dataclass(frozen=True)
class UnreadPart:
    """A part that could not be opened."""

    where: str
    why: str


def layers(path: str, data: bytes) -> Iterator[Layer | UnreadPart]:
    """Yield the file itself, then its parts; report parts that could not be opened."""
    yield from _layers_below(Layer(path, data), UnpackBudget())


def _layers_below(layer: Layer, budget: UnpackBudget) -> Iterator[Layer | UnreadPart]:
    yield layer
    if layer.depth >= MAX_DEPTH:
        if layer.data.startswith(_ZIPPED):
            yield UnreadPart(layer.where, f"archives are nested more than {MAX_DEPTH} deep")
        return
    try:
        for part in _parts(layer, budget):
            yield from _layers_below(part, budget)
    except (UnreadableArchive, TooMuch) as error:
        yield UnreadPart(layer.where, str(error))


def _parts(layer: Layer, budget: UnpackBudget) -> Iterator[Layer]:
    member_count = 0
    for name, data in members(layer.where, layer.data, budget):
        member_count += 1
        yield Layer(f"{layer.where}!{name}", data, layer.depth + 1)
    if member_count:
        return
    for name, data in streams(layer.data, budget):
        yield Layer(f"{layer.where}!{name}", data, layer.depth + 1)
    for name, data in decode_texts(layer.data):
        if _is_meaningful(data):
            budget.spend(len(data))
            yield Layer(f"{layer.where}!{name}", data, layer.depth + 1)


def _notebook(data: bytes) -> str:
    """Return every text of a notebook, code and outputs; empty for other files."""
    try:
        level = [read_json(data)]
    except ValueError:
        return ""
    texts: list[str] = []
    while level:
        texts += [value for value in level if isinstance(value, str)]
        lists = [value for value in level if isinstance(value, list)]
        # A list of lines is one text.
        texts += ["".join(value) for value in lists if all(isinstance(line, str) for line in value)]
        tables = [value.values() for value in level if isinstance(value, dict)]
        level = [inner for group in (*lists, *tables) for inner in group]
    return "\n".join(texts)


def _is_meaningful(data: bytes) -> bool:
    """True if decoded bytes are text or a known form of code, not noise."""
    if data.startswith(_KNOWN_PREFIXES) or data[2:4] == b"\r\n":
        return True
    sample = data[:2000].replace(b"\0", b"")
    printable = sum(32 <= byte < 127 or byte in b"\t\r\n" for byte in sample)
    return printable > 0.85 * len(sample) > 0
