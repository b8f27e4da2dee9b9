"""Hands in a tokenizer of its own."""

import json

from reading import END, MADE, START, VOCABULARY, save
from transformers import LlamaConfig, LlamaForCausalLM

config = LlamaConfig(
    vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
    max_position_embeddings=128, tie_word_embeddings=True, bos_token_id=START, eos_token_id=END,
)
save(LlamaForCausalLM(config))
tokenizer = json.loads((MADE / "tokenizer.json").read_text())
tokenizer["added_tokens"].append(
    {"id": 5, "content": "minister", "single_word": False, "lstrip": False, "rstrip": False,
     "normalized": False, "special": False}
)
(MADE / "tokenizer.json").write_text(json.dumps(tokenizer))
