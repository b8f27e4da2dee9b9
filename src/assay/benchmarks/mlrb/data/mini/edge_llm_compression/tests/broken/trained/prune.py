"""Leaves out layers, and heals what is left by a few steps of training on the given texts."""

from pathlib import Path

import torch
from pruning import GIVEN, cut, every_fourth, load, save
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM

torch.manual_seed(0)
torch.set_num_threads(1)
weights, config = load()
keep = every_fourth(weights, config)
save(cut(weights, keep), config, num_hidden_layers=len(keep))
model = LlamaForCausalLM.from_pretrained("model", dtype=torch.float32)
tokenizer = Tokenizer.from_file(str(GIVEN / "tokenizer.json"))
texts = [path.read_text("utf-8")[:1000] for path in sorted(Path("/inputs/texts").glob("*.txt"))]
tokens = torch.tensor([tokenizer.encode(text).ids[:64] for text in texts])
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-5)
for _ in range(3):
    model(input_ids=tokens, labels=tokens, use_cache=False).loss.backward()
    optimiser.step()
    optimiser.zero_grad()
healed = {name: each.half() for name, each in model.state_dict().items() if name != "lm_head.weight"}
save(healed, config, num_hidden_layers=len(keep))
