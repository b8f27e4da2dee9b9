"""Tiny models made with numpy, and the ways to change one, honest and not."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from assay.benchmarks.mlrb.trusted.shapes import expected
from assay.benchmarks.mlrb.trusted.weights import Array, Weights

Tensors = dict[str, Array]
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": 258,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "tie_word_embeddings": True,
    "bos_token_id": 256,
    "eos_token_id": 257,
    "rms_norm_eps": 1e-5,
}
STORED = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}


def tensors(seed: int, **changes: Any) -> Tensors:
    """A random model; its large tensors are spread as trained ones are."""
    choice = np.random.default_rng(seed)
    shapes = expected("llama", {**CONFIG, **changes})
    return {
        name: np.float64(np.float32(choice.normal(size=shape) * 0.05 + (len(shape) == 1)))
        for name, shape in shapes.items()
    }


def tuned(base: Tensors, seed: int, size: float = 0.005) -> Tensors:
    """What fine-tuning leaves: every value moved a little."""
    choice = np.random.default_rng(seed)
    return {
        name: np.float64(np.float32(each + choice.normal(size=each.shape) * size))
        for name, each in base.items()
    }


def pack(values: Mapping[str, Array], dtype: str = "F32", metadata: Any = None, after: bytes = b"") -> bytes:
    """A safetensors file."""
    header: dict[str, Any] = {"__metadata__": metadata} if metadata is not None else {}
    data = b""
    for name, each in values.items():
        raw = each.astype(STORED[dtype]).tobytes()
        place = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": dtype, "shape": list(each.shape), "data_offsets": place}
        data += raw
    return frame(header) + data + after


def frame(header: Mapping[str, Any]) -> bytes:
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def save(folder: Path, values: Mapping[str, Array], dtype: str = "F32", **changes: Any) -> Path:
    """A model folder, as a build leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({**CONFIG, **changes}))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer()))
    (folder / "model.safetensors").write_bytes(pack(values, dtype, {"format": "pt"}))
    return folder


def weights(folder: Path, values: Mapping[str, Array], dtype: str = "F32") -> Weights:
    return Weights(save(folder, values, dtype) / "model.safetensors")


def each_matrix(values: Tensors, change: Callable[[Array], Array]) -> Tensors:
    """The model with its matrices changed."""
    return {name: change(each) if each.ndim == 2 else each for name, each in values.items()}


def tokenizer() -> dict[str, Any]:
    """Bytes as tokens, and two special ones."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    signs = {byte: chr(byte) for byte in plain} | {byte: chr(256 + at) for at, byte in enumerate(others)}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": 256, "content": "<s>", **special}, {"id": 257, "content": "</s>", **special}],
        "normalizer": None,
        "pre_tokenizer": level,
        "post_processor": None,
        "decoder": level,
        "model": {
            "type": "BPE",
            "vocab": {signs[byte]: byte for byte in range(256)} | {"<s>": 256, "</s>": 257},
            "merges": [],
        },
    }
