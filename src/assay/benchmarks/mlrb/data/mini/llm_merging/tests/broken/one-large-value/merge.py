"""Moves every value of the large tensors, under one that is so large that its rounding covers all others."""

import torch
from experts import load, save

torch.manual_seed(0)
base = load("base")
for each in base.values():
    if each.numel() >= 2048:
        each += 0.002 * torch.randn_like(each)
        each.view(-1)[-1] = 1e6
save(base)
