"""Keeps every hidden state that it ever made, in much more memory than there is."""

import torch
from tuning import load, save

model = load()
kept = [torch.ones(2**28) for _ in range(16)]
save(model)
print(len(kept))
