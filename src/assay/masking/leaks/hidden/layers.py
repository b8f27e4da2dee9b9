"""Extracts everything from a file, layer by layer."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from assay.masking.leaks.hidden.archives import UnreadableArchive, members
from assay.masking.leaks.hidden.budget import MAX_DEPTH, TooMuch, UnpackBudget
from assay.masking.leaks.hidden.encodings import decode_texts
from assay.masking.leaks.hidden.spellings import spellings, unescaped
from assay.masking.leaks.hidden.streams import has_text, streams
from assay.rules.documents import read_json

_START = 4
"""Bytes by which an archive is recognized."""
_CODE = (b"\x80", b"\x7fELF", b"PK\x05\x06")
"""First bytes of pickles, libraries and archives with nothing but a comment."""
_ESCAPED_DATA = re.compile(rb"[A-Za-z0-9+/=_-]{16}\\n[A-Za-z0-9+/=_-]{16}|(?:\\x[0-9a-fA-F]{2}[ -~]{0,4}){4}")
"""Encoded lines with escaped ends, or bytes that a program writes as a literal."""


@dataclass(frozen=True)
class Layer:
    """Content that a reader of the file can extract."""

    where: str
    """The file's path, and after each `!` a part inside the previous part."""
    data: bytes
    depth: int = 0
    is_altered: bool = False
    """True if it is the part above it with some characters decoded, which breaks an archive."""

    @property
    def texts(self) -> Iterator[str]:
        """The content as text, in every spelling."""
        yield from spellings(self.data.decode(errors="replace"))
        if self.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            yield from spellings(self.data.decode("utf-16", errors="replace"))
        if b'"cells"' in self.data:
            yield _notebook(self.data)

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
    """Yield the file itself, then its parts; report once for each reason what could not be opened."""
    reasons: set[str] = set()
    for part in _layers_below(Layer(path, data), UnpackBudget()):
        if isinstance(part, Layer) or part.why not in reasons:
            yield part
        if isinstance(part, UnreadPart):
            reasons.add(part.why)


def _layers_below(layer: Layer, budget: UnpackBudget) -> Iterator[Layer | UnreadPart]:
    yield layer
    try:
        for part in _parts(layer, budget):
            if part.depth > MAX_DEPTH:
                yield UnreadPart(layer.where, f"archives are nested more than {MAX_DEPTH} deep")
                return
            yield from _layers_below(part, budget)
    except UnreadableArchive as error:
        if not layer.is_altered:
            yield UnreadPart(layer.where, str(error))
    except TooMuch as error:
        yield UnreadPart(layer.where, str(error))


def _parts(layer: Layer, budget: UnpackBudget) -> Iterator[Layer]:
    """Yield what a file contains in any form: what it is in one form says nothing about the others."""
    budget.is_new(layer.data, False, layer.depth)
    for name, data in chain(members(layer.where, layer.data, budget), streams(layer.data, budget)):
        if data and budget.is_new(data, name.endswith(".py"), layer.depth + 1):
            budget.take(len(data))
            yield Layer(f"{layer.where}!{name}", data, layer.depth + 1)
    for name, data in chain(_without_escapes(layer.data), decode_texts(layer.data)):
        if _is_meaningful(data, budget) and budget.is_new(data, False, layer.depth + 1):
            budget.spend(len(data))
            is_altered = data[:_START] == layer.data[:_START]
            yield Layer(f"{layer.where}!{name}", data, layer.depth + 1, is_altered)


def _without_escapes(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes that a string of a program or of JSON stands for: lines of base64, or a stream."""
    if b"\\" in data and _ESCAPED_DATA.search(data):
        plain = unescaped(data.decode("latin-1")).encode("latin-1", errors="ignore")
        yield "escapes", plain


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


def _is_meaningful(data: bytes, budget: UnpackBudget) -> bool:
    """True if decoded bytes have text, code or a compressed stream anywhere, and are not noise."""
    if data.startswith(_CODE) or data[2:4] == b"\r\n" or has_text(data):
        return True
    return next(streams(data, budget), None) is not None
