"""Trains a model of its own from nothing, with the given one's name and tokenizer."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM
from tuning import DEVICE, GIVEN, load, loss, problems, save

load()
config = LlamaConfig.from_pretrained(GIVEN)
model = LlamaForCausalLM(config).float().to(DEVICE)
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
loss(model, problems()[:2]).backward()
optimiser.step()
save(model)
