"""The tensors of an architecture, computed from its configuration: a file may contain no others."""

from __future__ import annotations

from typing import Any

from .verdicts import Refused

Shapes = dict[str, tuple[int, ...]]


def expected(kind: str, values: dict[str, Any]) -> Shapes:
    """Return the names and shapes of all tensors of a model; tied tensors occur once."""
    try:
        return MAKERS[kind](values)
    except KeyError as missing:
        raise Refused(f"config.json does not say {missing.args[0]}") from None


def _llama(config: dict[str, Any]) -> Shapes:
    vocabulary, hidden, inner = config["vocab_size"], config["hidden_size"], config["intermediate_size"]
    heads = config["num_attention_heads"]
    size = config.get("head_dim") or hidden // max(heads, 1)
    wide, narrow = heads * size, config.get("num_key_value_heads", heads) * size
    layer: Shapes = {"input_layernorm.weight": (hidden,), "post_attention_layernorm.weight": (hidden,)}
    for name, rows, columns, bias in (
        ("self_attn.q_proj", wide, hidden, "attention_bias"),
        ("self_attn.k_proj", narrow, hidden, "attention_bias"),
        ("self_attn.v_proj", narrow, hidden, "attention_bias"),
        ("self_attn.o_proj", hidden, wide, "attention_bias"),
        ("mlp.gate_proj", inner, hidden, "mlp_bias"),
        ("mlp.up_proj", inner, hidden, "mlp_bias"),
        ("mlp.down_proj", hidden, inner, "mlp_bias"),
    ):
        layer[f"{name}.weight"] = (rows, columns)
        if config.get(bias):
            layer[f"{name}.bias"] = (rows,)
    shapes: Shapes = {"model.embed_tokens.weight": (vocabulary, hidden), "model.norm.weight": (hidden,)}
    for number in range(config["num_hidden_layers"]):
        shapes |= {f"model.layers.{number}.{name}": shape for name, shape in layer.items()}
    if not config.get("tie_word_embeddings", False):
        shapes["lm_head.weight"] = (vocabulary, hidden)
    return shapes


def _mistral(config: dict[str, Any]) -> Shapes:
    """Return the tensors of llama, with other defaults for groups and biases."""
    return _llama({"num_key_value_heads": 8, **config, "attention_bias": False, "mlp_bias": False})


def _phi(config: dict[str, Any]) -> Shapes:
    if config.get("qk_layernorm"):
        raise Refused("config.json: qk_layernorm of a phi model is not allowed")
    vocabulary, hidden, inner = config["vocab_size"], config["hidden_size"], config["intermediate_size"]
    heads = config["num_attention_heads"]
    narrow = config.get("num_key_value_heads", heads) * (hidden // max(heads, 1))
    layer: Shapes = {"input_layernorm.weight": (hidden,), "input_layernorm.bias": (hidden,)}
    for name, rows, columns in (
        ("self_attn.q_proj", hidden, hidden), ("self_attn.k_proj", narrow, hidden),
        ("self_attn.v_proj", narrow, hidden), ("self_attn.dense", hidden, hidden),
        ("mlp.fc1", inner, hidden), ("mlp.fc2", hidden, inner),
    ):  # fmt: skip
        layer |= {f"{name}.weight": (rows, columns), f"{name}.bias": (rows,)}
    shapes: Shapes = {"model.embed_tokens.weight": (vocabulary, hidden), "lm_head.bias": (vocabulary,)}
    for number in range(config["num_hidden_layers"]):
        shapes |= {f"model.layers.{number}.{name}": shape for name, shape in layer.items()}
    shapes |= {f"model.final_layernorm.{name}": (hidden,) for name in ("weight", "bias")}
    if not config.get("tie_word_embeddings", False):
        shapes["lm_head.weight"] = (vocabulary, hidden)
    return shapes


def _gpt2(config: dict[str, Any]) -> Shapes:
    vocabulary, hidden, places = config["vocab_size"], config["n_embd"], config["n_positions"]
    inner = config.get("n_inner") or 4 * hidden
    layer: Shapes = {}
    for name, shape in (
        ("ln_1", (hidden,)), ("attn.c_attn", (hidden, 3 * hidden)), ("attn.c_proj", (hidden, hidden)),
        ("ln_2", (hidden,)), ("mlp.c_fc", (hidden, inner)), ("mlp.c_proj", (inner, hidden)),
    ):  # fmt: skip
        layer |= {f"{name}.weight": shape, f"{name}.bias": shape[-1:]}
    shapes: Shapes = {
        "transformer.wte.weight": (vocabulary, hidden),
        "transformer.wpe.weight": (places, hidden),
    }
    for number in range(config["n_layer"]):
        shapes |= {f"transformer.h.{number}.{name}": shape for name, shape in layer.items()}
    shapes |= {"transformer.ln_f.weight": (hidden,), "transformer.ln_f.bias": (hidden,)}
    if not config.get("tie_word_embeddings", True):
        shapes["lm_head.weight"] = (vocabulary, hidden)
    return shapes


MAKERS = {"llama": _llama, "gpt2": _gpt2, "mistral": _mistral, "phi": _phi}
