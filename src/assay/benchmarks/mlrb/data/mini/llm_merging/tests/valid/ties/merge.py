"""TIES: trims each difference, elects a sign for each weight, averages those that agree."""

import torch
from experts import EXPERTS, load, save

KEPT, SCALE = 0.5, 1.0


def trimmed(difference):
    least = difference.abs().flatten().kthvalue(max(1, int((1 - KEPT) * difference.numel()))).values
    return torch.where(difference.abs() > least, difference, torch.zeros_like(difference))


base, experts = load("base"), [load(name) for name in EXPERTS]
merged = {}
for name, each in base.items():
    stacked = torch.stack([trimmed(expert[name] - each) for expert in experts])
    agrees = (torch.sign(stacked) == torch.sign(stacked.sum(0))) & (stacked != 0)
    merged[name] = each + SCALE * (stacked * agrees).sum(0) / agrees.sum(0).clamp(min=1)
save(merged)
