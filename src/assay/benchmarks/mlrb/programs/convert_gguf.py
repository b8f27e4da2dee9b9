"""Converts a llama GGUF into a model folder: weights dequantised to FP16, tokenizer.json, config.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader, dequantize
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE

PLACES = {
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
}  # fmt: skip
WHOLE = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
CONTROL = 3
"""The type of a special token."""


def unpermute(values: Any, heads: int) -> Any:
    """Undo the order of llama.cpp, which stores the two halves of each rotary pair side by side."""
    half = values.shape[0] // heads // 2
    return values.reshape(heads, half, 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


def weights(reader: GGUFReader, heads: int, shared: int) -> dict[str, Any]:
    tensors = {}
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type)
        *layer, part, _ = tensor.name.split(".")
        if layer:
            if part in ("attn_q", "attn_k"):
                values = unpermute(values, heads if part == "attn_q" else shared)
            name = f"model.layers.{layer[1]}.{PLACES[part]}.weight"
        else:
            name = f"{WHOLE[part]}.weight"
        tensors[name] = np.ascontiguousarray(values).astype(np.float16)
    return tensors


def tokenizer(field: Any) -> Tokenizer:
    tokens = field("tokenizer.ggml.tokens")
    merges = [tuple(merge.split(" ")) for merge in field("tokenizer.ggml.merges")]
    bpe = Tokenizer(BPE({token: number for number, token in enumerate(tokens)}, merges))
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    bpe.decoder = decoders.ByteLevel()
    kinds = field("tokenizer.ggml.token_type")
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == CONTROL]
    bpe.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return bpe


def main(source: str, target: Path) -> None:
    reader = GGUFReader(source)

    def field(name: str) -> Any:
        return reader.fields[name].contents()

    heads, shared = field("llama.attention.head_count"), field("llama.attention.head_count_kv")
    tensors = weights(reader, heads, shared)
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
        "hidden_size": field("llama.embedding_length"),
        "intermediate_size": field("llama.feed_forward_length"),
        "num_hidden_layers": field("llama.block_count"),
        "num_attention_heads": heads, "num_key_value_heads": shared,
        "vocab_size": len(field("tokenizer.ggml.tokens")),
        "max_position_embeddings": field("llama.context_length"),
        "rms_norm_eps": round(float(field("llama.attention.layer_norm_rms_epsilon")), 9),
        "rope_theta": float(field("llama.rope.freq_base")),
        "tie_word_embeddings": "lm_head.weight" not in tensors,
        "bos_token_id": field("tokenizer.ggml.bos_token_id"),
        "eos_token_id": field("tokenizer.ggml.eos_token_id"),
        "attention_bias": False, "mlp_bias": False, "dtype": "float16",
    }  # fmt: skip
    save_file(tensors, target / "model.safetensors", metadata={"format": "pt"})
    tokenizer(field).save(str(target / "tokenizer.json"))
    (target / "config.json").write_text(json.dumps(config, indent=2, default=int) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
