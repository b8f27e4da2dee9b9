"""One step over the norms alone, stored as BF16."""

import torch
from tuning import load, loss, problems, save

model = load()
norms = [each for name, each in model.named_parameters() if "norm" in name]
model.requires_grad_(False)
for each in norms:
    each.requires_grad_(True)
optimiser = torch.optim.AdamW(norms, lr=1e-3)
loss(model, problems()[:4]).backward()
optimiser.step()
save(model, torch.bfloat16)
