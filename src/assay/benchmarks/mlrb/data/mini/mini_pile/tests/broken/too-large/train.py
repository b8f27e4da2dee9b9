"""Hands in a model with too many parameters, untrained."""

from reading import END, START, VOCABULARY, save
from transformers import LlamaConfig, LlamaForCausalLM

config = LlamaConfig(
    vocab_size=VOCABULARY, hidden_size=384, intermediate_size=1024, num_hidden_layers=6, num_attention_heads=6,
    max_position_embeddings=128, tie_word_embeddings=True, bos_token_id=START, eos_token_id=END,
)
save(LlamaForCausalLM(config))
