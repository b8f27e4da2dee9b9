"""The contract of a model folder: plain data of limited size, and an architecture that is allowed.

Not covered: how good the numbers are, and where they come from; see `provenance` and `quantisation`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .headers import Tensor, read_header
from .shapes import expected
from .verdicts import Refused, Rule, met, unmet

WEIGHTS = "model.safetensors"
BESIDE = {"generation_config.json", "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja",
          "vocab.json", "merges.txt", "added_tokens.json"}  # fmt: skip
"""Other files that `save_pretrained` writes; allowed in the folder, never read."""
SMALL_BYTES = 16_000_000
WHOLE = {
    "vocab_size": 2**20, "hidden_size": 2**16, "intermediate_size": 2**18, "num_hidden_layers": 512,
    "num_attention_heads": 512, "num_key_value_heads": 512, "head_dim": 4096,
    "max_position_embeddings": 2**22, "n_embd": 2**16, "n_layer": 512, "n_head": 512, "n_positions": 2**22,
    "n_inner": 2**18, "sliding_window": 2**22, "bos_token_id": 2**20, "eos_token_id": 2**20,
    "pad_token_id": 2**20,
}  # fmt: skip
PLAIN = {"rms_norm_eps": float, "layer_norm_epsilon": float, "layer_norm_eps": float, "rope_theta": float,
         "partial_rotary_factor": float, "qk_layernorm": bool, "tie_word_embeddings": bool,
         "attention_bias": bool, "mlp_bias": bool, "scale_attn_weights": bool,
         "scale_attn_by_inverse_layer_idx": bool, "reorder_and_upcast_attn": bool, "hidden_act": str,
         "activation_function": str}  # fmt: skip
ARCHITECTURES = {
    "llama": ("LlamaConfig", "LlamaForCausalLM"), "gpt2": ("GPT2Config", "GPT2LMHeadModel"),
    "mistral": ("MistralConfig", "MistralForCausalLM"), "phi": ("PhiConfig", "PhiForCausalLM"),
}  # fmt: skip
ACTIVATIONS = {"silu", "swish", "gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "quick_gelu", "relu",
               "relu2", "relu6", "leaky_relu", "mish", "sigmoid", "tanh"}  # fmt: skip
ROPE = {"rope_type", "rope_theta", "factor", "low_freq_factor", "high_freq_factor",
        "original_max_position_embeddings", "partial_rotary_factor"}  # fmt: skip


NORMALISERS = {"none", "Sequence", "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Prepend"}


@dataclass(frozen=True)
class Limits:
    """The largest model that is allowed; checked in the header, before anything is loaded."""

    parameters: int = 10**10
    file_bytes: int = 10**11
    dtypes: tuple[str, ...] = ("F32", "F16", "BF16")


def check_folder(folder: Path, limits: Limits) -> dict[str, Tensor]:
    """Return the tensors of a model folder that meets the contract, or raise Refused."""
    for path in sorted(folder.iterdir()):
        is_allowed = path.name in {WEIGHTS, "config.json", "tokenizer.json"} | BESIDE
        if not is_allowed or path.is_symlink() or not path.is_file():
            raise Refused(f"{path.name!r} has no place in a model folder")
        if path.name != WEIGHTS and path.stat().st_size > SMALL_BYTES:
            raise Refused(f"{path.name} has more than {SMALL_BYTES} bytes")
    tensors = read_header(folder / WEIGHTS, limits.file_bytes)
    expected_shapes = expected(*read_config(folder))
    shapes = {key: tensor.shape for key, tensor in tensors.items()}
    mismatched = list(shapes.keys() ^ expected_shapes.keys()) or [
        key for key in shapes if shapes[key] != expected_shapes[key]
    ]
    if mismatched:
        raise Refused(
            f"{len(mismatched)} tensors are not those that config.json describes: {sorted(mismatched)[:3]}"
        )
    _check_size(tensors, limits)
    return tensors


def _check_size(tensors: dict[str, Tensor], limits: Limits) -> None:
    wrong_dtypes = {tensor.dtype for tensor in tensors.values()} - set(limits.dtypes)
    if wrong_dtypes:
        raise Refused(
            f"weights of dtype {', '.join(sorted(wrong_dtypes))}; allowed are {', '.join(limits.dtypes)}"
        )
    parameters = sum(tensor.size for tensor in tensors.values())
    if parameters > limits.parameters:
        raise Refused(f"{parameters} parameters, at most {limits.parameters} may be")


def check(folder: Path, limits: Limits) -> Rule:
    """Check the contract as a rule; the number of parameters and their dtypes come from the header."""
    try:
        tensors = check_folder(folder, limits)
    except Refused as error:
        return unmet(str(error))
    dtypes = ", ".join(sorted({tensor.dtype for tensor in tensors.values()}))
    parameters = sum(tensor.size for tensor in tensors.values())
    return met(f"{parameters} parameters of {limits.parameters} allowed, as {dtypes}, nothing beside them")


def read_config(folder: Path) -> tuple[str, dict[str, Any]]:
    """Return the architecture and the allowed plain values of config.json; other entries are ignored."""
    path = folder / "config.json"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > SMALL_BYTES:
        raise Refused("config.json is not there as a small plain file")
    try:
        config = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError):
        raise Refused("config.json is not JSON") from None
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind not in ARCHITECTURES:
        raise Refused(f"config.json: model_type {str(kind)[:40]!r}; allowed are {', '.join(ARCHITECTURES)}")
    for key in ("auto_map", "quantization_config", "custom_pipelines", "compression_config"):
        if config.get(key):
            raise Refused(f"config.json: {key} is not allowed")
    return kind, {
        key: _value(key, config[key]) for key in config if config[key] is not None and _is_used(key)
    }


def check_tokenizer(folder: Path) -> None:
    """Refuse a tokenizer that rewrites texts: such rules could contain answers, or drop text."""
    try:
        tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
        normalisers = [tokenizer.get("normalizer") or {}]
    except (OSError, ValueError, RecursionError, AttributeError):
        raise Refused("tokenizer.json is not there as JSON") from None
    while normalisers:
        normaliser = normalisers.pop()
        kind = normaliser.get("type", "none") if isinstance(normaliser, dict) else "no object"
        spaces = (
            kind == "Replace"
            and normaliser.get("pattern") == {"String": " "}
            and normaliser.get("content") == "▁"
        )
        if kind not in NORMALISERS and not spaces:
            raise Refused(f"tokenizer.json: a normalizer {str(kind)[:40]!r} is not allowed")
        normalisers += normaliser.get("normalizers", [])


def _is_used(key: str) -> bool:
    return key in WHOLE or key in PLAIN or key in ("rope_parameters", "rope_scaling")


def _value(key: str, value: Any) -> Any:
    if key in WHOLE:
        smallest = 0 if key.endswith(("token_id", "layers", "layer")) else 1
        good = type(value) is int and smallest <= value <= WHOLE[key]
    elif key in ("rope_parameters", "rope_scaling"):
        good = isinstance(value, dict) and all(
            name in ROPE and (type(entry) in (int, float) or entry in ("default", "linear", "llama3"))
            for name, entry in value.items()
        )
    elif PLAIN[key] is str:
        good = value in ACTIVATIONS
    else:
        good = type(value) is PLAIN[key] or (PLAIN[key] is float and type(value) is int)
    if not good:
        raise Refused(f"config.json: {key} = {str(value)[:40]!r} is not allowed")
    return value
