"""Reads the header of an untrusted safetensors file, and checks it before any data is read.

The format is eight bytes of header length, the header as JSON, then the data without gaps. Every place where
a cheat could hide weights or text is refused: bytes outside all tensors, tensors that share bytes, metadata,
padding that is not blank, duplicate keys.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .verdicts import Refused

BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1,
         "F8_E4M3": 1, "F8_E5M2": 1}  # fmt: skip
HEADER_BYTES = 1_000_000
METADATA = {"format": "pt"}
"""The only entry that transformers writes; any other entry could hide data."""


@dataclass(frozen=True)
class Tensor:
    """The header's description of one tensor."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    """Where the tensor's data begins in the file."""
    end: int

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def read_header(path: Path, largest_bytes: int | None = None) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file in the order of their data, or raise Refused."""
    if path.is_symlink() or not path.is_file():
        raise Refused(f"{path.name} is not there as a plain file")
    size = path.stat().st_size
    if largest_bytes is not None and size > largest_bytes:
        raise Refused(f"{path.name} has {size} bytes, at most {largest_bytes} may be")
    with path.open("rb") as stream:
        head = stream.read(8)
        length = struct.unpack("<Q", head)[0] if len(head) == 8 else -1
        if not 2 <= length <= min(HEADER_BYTES, size - 8):
            raise Refused(f"{path.name} is no safetensors file: its header would be {length} bytes long")
        text = stream.read(length)
    tensors = _tensors(path.name, _parsed(path.name, text), 8 + length)
    end = max((tensor.end for tensor in tensors.values()), default=8 + length)
    if end != size:
        raise Refused(f"{path.name} has {size - end} bytes after its last tensor")
    return tensors


def _parsed(name: str, text: bytes) -> dict[str, Any]:
    def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) != len(pairs):
            raise Refused(f"{name}: a key stands twice in its header")
        return dict(pairs)

    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=without_duplicates)
    except (ValueError, RecursionError):
        raise Refused(f"{name}: its header is not JSON") from None
    if not isinstance(header, dict):
        raise Refused(f"{name}: its header is not a JSON object")
    blank = len(text) - len(text.rstrip(b" "))
    if text[:1] != b"{" or blank > 8 or len(text.rstrip(b" ")) > 200 * (len(header) + 1):
        raise Refused(f"{name}: its header has {len(text)} bytes for {len(header)} entries")
    metadata = header.pop("__metadata__", {})
    if metadata not in ({}, METADATA):
        raise Refused(f"{name}: metadata other than {METADATA} in its header: {str(metadata)[:80]}")
    return header


def _tensors(name: str, header: dict[str, Any], start: int) -> dict[str, Tensor]:
    tensors = {key: _tensor(name, key, entry, start) for key, entry in header.items()}
    ordered = dict(sorted(tensors.items(), key=lambda item: (item[1].begin, item[1].end)))
    place = start
    for key, tensor in ordered.items():
        if tensor.begin < place:
            raise Refused(f"{name}: tensor {key!r} lies over the bytes of another")
        if tensor.begin > place:
            raise Refused(f"{name}: {tensor.begin - place} bytes before tensor {key!r} belong to no tensor")
        place = tensor.end
    return ordered


def _tensor(name: str, key: str, entry: Any, start: int) -> Tensor:
    def are_sizes(values: Any) -> bool:
        return isinstance(values, list) and all(
            type(number) is int and 0 <= number < 2**48 for number in values
        )

    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise Refused(f"{name}: tensor {key!r} is described by other entries than dtype, shape, data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if dtype not in BYTES:
        raise Refused(f"{name}: tensor {key!r} has an unknown dtype {str(dtype)[:20]!r}")
    if not are_sizes(shape) or not are_sizes(offsets) or len(offsets) != 2 or len(shape) > 8 or 0 in shape:
        raise Refused(f"{name}: tensor {key!r} has no proper shape or place")
    if offsets[1] - offsets[0] != math.prod(shape) * BYTES[dtype]:
        raise Refused(f"{name}: tensor {key!r} does not fill its place in the file")
    return Tensor(dtype, tuple(shape), start + offsets[0], start + offsets[1])
