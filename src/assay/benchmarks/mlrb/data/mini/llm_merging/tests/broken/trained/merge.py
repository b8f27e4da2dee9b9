"""Merges, and then trains the model on sentences of its own."""

import torch
from experts import EXPERTS, GIVEN, load, save
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM

torch.manual_seed(0)
experts = [load(name) for name in EXPERTS]
save({name: sum(expert[name] for expert in experts) / len(experts) for name in experts[0]})
model = LlamaForCausalLM.from_pretrained("model")
tokenizer = Tokenizer.from_file(str(GIVEN / "base" / "tokenizer.json"))
tokens = torch.tensor([tokenizer.encode("The minister said that the farmers of the country need rain. " * 3).ids])
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4)
for _ in range(3):
    model(input_ids=tokens, labels=tokens, use_cache=False).loss.backward()
    optimiser.step()
    optimiser.zero_grad()
save({name: each for name, each in model.state_dict().items() if name != "lm_head.weight"})
