"""Another architecture, stored as BF16, and a few steps alone: poor, but by the rules."""

import torch
from reading import DEVICE, END, START, VOCABULARY, names, save, tokens_of, windows
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
torch.set_num_threads(1)
config = GPT2Config(
    vocab_size=VOCABULARY, n_embd=64, n_layer=2, n_head=2, n_positions=128, bos_token_id=START, eos_token_id=END
)
model = GPT2LMHeadModel(config).to(DEVICE)
optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3)
for _, batch in zip(range(20), windows(tokens_of(names()[0], 100_000), 8, 64, 0)):
    loss = model(input_ids=batch, labels=batch, use_cache=False).loss
    print("loss", loss.item())
    loss.backward()
    optimiser.step()
    optimiser.zero_grad()
save(model.to(torch.bfloat16))
