"""Few parameters, but so many heads that reading a text takes much memory."""

import torch
from reading import END, START, VOCABULARY, save
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=256,
    num_key_value_heads=256, head_dim=2, max_position_embeddings=1024, tie_word_embeddings=True, bos_token_id=START,
    eos_token_id=END,
)
save(LlamaForCausalLM(config))
