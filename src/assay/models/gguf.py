"""Reading the head of a GGUF file: whether it is one, whether it is whole, and how much text it reads.

Only the head is read: key-value pairs and the table of tensors. The sizes in that table say how long the file
must be, so that a file which was cut off is found before a server tries to load it.
"""

from __future__ import annotations

import hashlib
import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from assay.errors import ModelUnavailable, UsageError
from assay.models.catalogue import LocalModel

MAGIC = b"GGUF"
DEFAULT_ALIGNMENT = 32
SERVED_CONTEXT = 8192
"""Tokens that a file's server reads at most: longer conversations take minutes on a CPU."""
MOST_TEXT = 64 << 20
MOST_ITEMS = 1 << 24

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9

# Type of a tensor → numbers in a block and bytes of a block, by ggml's table.
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
}  # fmt: skip


@dataclass(frozen=True)
class GgufHead:
    """What the head of a file says."""

    values: dict[str, object]
    """Its key-value pairs; lists are left out."""
    bytes: int
    """How long the file must at least be."""

    @property
    def context_length(self) -> int | None:
        """The tokens that the model was trained to read."""
        length = self.values.get(f"{self.values.get('general.architecture')}.context_length")
        return length if isinstance(length, int) else None

    @property
    def has_chat_template(self) -> bool:
        """Whether the file says how a conversation is written."""
        return isinstance(self.values.get("tokenizer.chat_template"), str)


def file_model(path: Path) -> LocalModel:
    """A user's own GGUF file as a model that can be served."""
    head = read_gguf(path)
    state = path.stat()
    identity = f"{path.resolve()} {state.st_size} {state.st_mtime_ns}"
    trained = head.context_length or SERVED_CONTEXT
    return LocalModel(
        name=path.stem,
        package="",
        version=hashlib.sha256(identity.encode()).hexdigest()[:12],
        wheel_sha256="",
        wheel_bytes=0,
        member=str(path),
        sha256="",
        bytes=state.st_size,
        licence=str(head.values.get("general.license", "unknown")),
        context_length=trained,
        served_context=min(trained, SERVED_CONTEXT),
        own_template=head.has_chat_template,
    )


def read_gguf(path: Path) -> GgufHead:
    """The head of a whole GGUF file; an error that says what is wrong with another one."""
    if not path.is_file():
        problem = "is a folder" if path.is_dir() else "does not exist"
        raise UsageError(
            f"{path} {problem}, expected a GGUF file", hint="give its path: --model local/PATH.gguf"
        )
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(4) != MAGIC:
            raise UsageError(
                f"{path} is not a GGUF file: it does not begin with GGUF",
                hint="models in other formats are converted by llama.cpp's convert_hf_to_gguf.py",
            )
        try:
            head = _read_head(file)
        except (EOFError, struct.error):
            raise _cut_off(path, size, None) from None
        except ValueError as error:
            raise ModelUnavailable(
                f"{path} cannot be read as GGUF: {error}", hint="fetch the file again"
            ) from None
    if size < head.bytes:
        raise _cut_off(path, size, head.bytes)
    return head


def _cut_off(path: Path, size: int, expected_bytes: int | None) -> ModelUnavailable:
    problem = (
        "its head is not whole" if expected_bytes is None else f"its head promises {expected_bytes:,} bytes"
    )
    return ModelUnavailable(
        f"{path} is cut off: it has {size:,} bytes, and {problem}", hint="fetch the file again"
    )


def _read_head(file: BinaryIO) -> GgufHead:
    version, tensors, pairs = struct.unpack("<IQQ", _take(file, 20))
    if version not in (2, 3):
        raise ValueError(f"version {version}, expected 2 or 3")
    if max(tensors, pairs) > MOST_ITEMS:
        raise ValueError(f"{tensors:,} tensors and {pairs:,} values are not believable")
    values: dict[str, object] = {}
    for _ in range(pairs):
        name = _text(file)
        value = _value(file, struct.unpack("<I", _take(file, 4))[0])
        if value is not None:
            values[name] = value
    ends = [_tensor_end(file) for _ in range(tensors)]
    alignment = values.get("general.alignment", DEFAULT_ALIGNMENT)
    step = alignment if isinstance(alignment, int) and alignment > 0 else DEFAULT_ALIGNMENT
    start = math.ceil(file.tell() / step) * step
    return GgufHead(values, start + max(ends, default=0))


def _tensor_end(file: BinaryIO) -> int:
    """Where a tensor's numbers end, counted from the first tensor's beginning."""
    _text(file)
    (dimensions,) = struct.unpack("<I", _take(file, 4))
    if dimensions > 8:
        raise ValueError(f"a tensor of {dimensions} dimensions is not believable")
    shape = struct.unpack(f"<{dimensions}Q", _take(file, 8 * dimensions))
    kind, offset = struct.unpack("<IQ", _take(file, 12))
    numbers, size = _BLOCKS.get(kind, (1, 0))
    return int(offset) + int(math.prod(shape)) // numbers * size


def _value(file: BinaryIO, kind: int) -> object:
    """One value; None for a list, which is passed over."""
    if kind == _TEXT:
        return _text(file)
    if kind != _LIST:
        return _number(file, kind)
    inner, count = struct.unpack("<IQ", _take(file, 12))
    if count > MOST_ITEMS:
        raise ValueError(f"a list of {count:,} values is not believable")
    if inner in _NUMBERS:
        file.seek(count * struct.calcsize(_NUMBERS[inner]), 1)
        return None
    for _ in range(count):
        _value(file, inner)
    return None


def _number(file: BinaryIO, kind: int) -> object:
    if kind not in _NUMBERS:
        raise ValueError(f"a value of the unknown type {kind}")
    form = "<" + _NUMBERS[kind]
    (number,) = struct.unpack(form, _take(file, struct.calcsize(form)))
    return number


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", _take(file, 8))
    if length > MOST_TEXT:
        raise ValueError(f"a text of {length:,} bytes is not believable")
    return _take(file, length).decode(errors="replace")


def _take(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise EOFError
    return data
