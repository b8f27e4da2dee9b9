"""Reads the tensors of a checked safetensors file as numpy arrays, one at a time, without torch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .headers import Tensor, read_header
from .verdicts import Refused

Array = NDArray[np.float64]
STORED = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
LAYER = re.compile(r"\.(layers|h)\.(\d+)\.")
PRECISIONS = {"BF16": 8, "F16": 11, "F32": 24, "F64": 53}
"""Bits of the significand, including the leading bit."""


class Weights:
    """The named tensors of one model: from one file, or from all files of a folder."""

    def __init__(self, path: Path, name: str = "") -> None:
        self.name = name or (path if path.is_dir() else path.parent).name
        self.tensors: dict[str, Tensor] = {}
        self._files: dict[str, Path] = {}
        for file in sorted(path.glob("*.safetensors")) if path.is_dir() else [path]:
            tensors = read_header(file)
            self.tensors |= tensors
            self._files |= dict.fromkeys(tensors, file)

    def __getitem__(self, key: str) -> Array:
        tensor = self.tensors[key]
        if tensor.dtype not in STORED:
            raise Refused(f"tensor {key!r} is stored as {tensor.dtype}, not as floating-point numbers")
        with self._files[key].open("rb") as stream:
            stream.seek(tensor.begin)
            raw = np.frombuffer(stream.read(tensor.end - tensor.begin), STORED[tensor.dtype])
        if tensor.dtype == "BF16":
            raw = (raw.astype(np.uint32) << 16).view(np.float32)
        values: Array = raw.astype(np.float64).reshape(tensor.shape)
        if not np.isfinite(values).all():
            raise Refused(f"tensor {key!r} holds values that are not finite")
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)


def precision(values: Array, dtype: str) -> int:
    """Return the bits of significand that the values use: F32 numbers may have been rounded before."""
    for name in ("BF16", "F16"):
        if PRECISIONS[name] < PRECISIONS[dtype] and np.array_equal(rounded(values, PRECISIONS[name]), values):
            return PRECISIONS[name]
    return PRECISIONS[dtype]


def rounded(values: Array, bits: int) -> Array:
    """Round the values to `bits` bits of significand."""
    fraction, exponent = np.frexp(values)
    rounded_values: Array = np.ldexp(np.round(fraction * 2.0**bits) * 2.0**-bits, exponent)
    return rounded_values


def kind_of(key: str) -> str:
    """Return a tensor's name without the number of its layer."""
    return LAYER.sub(r".\1.*.", key)


def layer_of(key: str) -> int | None:
    """Return the number of a tensor's layer, or None if it has no layer."""
    match = LAYER.search(key)
    return int(match.group(2)) if match else None
