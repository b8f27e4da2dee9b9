"""Few parameters, but so wide inside that reading a text takes much memory."""

import torch
from reading import END, START, VOCABULARY, save
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=VOCABULARY, hidden_size=4, intermediate_size=18_000, num_hidden_layers=1, num_attention_heads=2,
    max_position_embeddings=1024, tie_word_embeddings=True, bos_token_id=START, eos_token_id=END,
)
save(LlamaForCausalLM(config))
