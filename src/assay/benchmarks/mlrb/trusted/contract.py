"""The contract of a model folder: plain data, so large and no larger, of an architecture that is known.

Not covered: what the numbers are worth, and where they come from; see `provenance` and `quantisation`.
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
"""What `save_pretrained` writes too; allowed to stand there, never read."""
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
    """How large a model may be; checked from the header, before anything is loaded."""

    parameters: int = 10**10
    file_bytes: int = 10**11
    dtypes: tuple[str, ...] = ("F32", "F16", "BF16")


def check_folder(folder: Path, limits: Limits) -> dict[str, Tensor]:
    """The tensors of a model folder that keeps the contract, or Refused."""
    for path in sorted(folder.iterdir()):
        known = path.name in {WEIGHTS, "config.json", "tokenizer.json"} | BESIDE
        if not known or path.is_symlink() or not path.is_file():
            raise Refused(f"{path.name!r} has no place in a model folder")
        if path.name != WEIGHTS and path.stat().st_size > SMALL_BYTES:
            raise Refused(f"{path.name} has more than {SMALL_BYTES} bytes")
    tensors = read_header(folder / WEIGHTS, limits.file_bytes)
    wanted = expected(*read_config(folder))
    found = {key: tensor.shape for key, tensor in tensors.items()}
    odd = list(found.keys() ^ wanted.keys()) or [key for key in found if found[key] != wanted[key]]
    if odd:
        raise Refused(f"{len(odd)} tensors are not those that config.json describes: {sorted(odd)[:3]}")
    _check_size(tensors, limits)
    return tensors


def _check_size(tensors: dict[str, Tensor], limits: Limits) -> None:
    others = {tensor.dtype for tensor in tensors.values()} - set(limits.dtypes)
    if others:
        raise Refused(f"weights of dtype {', '.join(sorted(others))}; allowed are {', '.join(limits.dtypes)}")
    parameters = sum(tensor.size for tensor in tensors.values())
    if parameters > limits.parameters:
        raise Refused(f"{parameters} parameters, at most {limits.parameters} may be")


def check(folder: Path, limits: Limits) -> Rule:
    """The contract as a rule, with the number of parameters and their dtypes from the header alone."""
    try:
        tensors = check_folder(folder, limits)
    except Refused as error:
        return unmet(str(error))
    dtypes = ", ".join(sorted({tensor.dtype for tensor in tensors.values()}))
    parameters = sum(tensor.size for tensor in tensors.values())
    return met(f"{parameters} parameters of {limits.parameters} allowed, as {dtypes}, nothing beside them")


def read_config(folder: Path) -> tuple[str, dict[str, Any]]:
    """The architecture and the allowed plain values of config.json; what decides nothing is passed over."""
    path = folder / "config.json"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > SMALL_BYTES:
        raise Refused("config.json is not there as a small plain file")
    try:
        given = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError):
        raise Refused("config.json is not JSON") from None
    kind = given.get("model_type") if isinstance(given, dict) else None
    if kind not in ARCHITECTURES:
        raise Refused(f"config.json: model_type {str(kind)[:40]!r}; allowed are {', '.join(ARCHITECTURES)}")
    for key in ("auto_map", "quantization_config", "custom_pipelines", "compression_config"):
        if given.get(key):
            raise Refused(f"config.json: {key} is not allowed")
    return kind, {key: _value(key, given[key]) for key in given if given[key] is not None and _kept(key)}


def check_tokenizer(folder: Path) -> None:
    """Refuses a tokenizer that rewrites texts: by such rules it could know answers, or lose text."""
    try:
        given = json.loads((folder / "tokenizer.json").read_text("utf-8"))
        wanted = [given.get("normalizer") or {}]
    except (OSError, ValueError, RecursionError, AttributeError):
        raise Refused("tokenizer.json is not there as JSON") from None
    while wanted:
        each = wanted.pop()
        kind = each.get("type", "none") if isinstance(each, dict) else "no object"
        spaces = kind == "Replace" and each.get("pattern") == {"String": " "} and each.get("content") == "▁"
        if kind not in NORMALISERS and not spaces:
            raise Refused(f"tokenizer.json: a normalizer {str(kind)[:40]!r} is not allowed")
        wanted += each.get("normalizers", [])


def _kept(key: str) -> bool:
    return key in WHOLE or key in PLAIN or key in ("rope_parameters", "rope_scaling")


def _value(key: str, value: Any) -> Any:
    if key in WHOLE:
        least = 0 if key.endswith(("token_id", "layers", "layer")) else 1
        good = type(value) is int and least <= value <= WHOLE[key]
    elif key in ("rope_parameters", "rope_scaling"):
        good = isinstance(value, dict) and all(
            name in ROPE and (type(each) in (int, float) or each in ("default", "linear", "llama3"))
            for name, each in value.items()
        )
    elif PLAIN[key] is str:
        good = value in ACTIVATIONS
    else:
        good = type(value) is PLAIN[key] or (PLAIN[key] is float and type(value) is int)
    if not good:
        raise Refused(f"config.json: {key} = {str(value)[:40]!r} is not allowed")
    return value
