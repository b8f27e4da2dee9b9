"""Rounds its weights to 15 steps a row and stores them as floating point."""

import torch
from reading import llama, save

torch.manual_seed(0)
model = llama()
with torch.no_grad():
    for each in model.parameters():
        if each.dim() == 2:
            step = each.abs().amax(dim=1, keepdim=True) / 7
            each.copy_((each / step).round() * step)
save(model)
