"""DARE: drops half of each difference at random, doubles the rest, averages."""

import torch
from experts import EXPERTS, load, save

torch.manual_seed(0)
base, experts = load("base"), [load(name) for name in EXPERTS]
merged = {}
for name, each in base.items():
    drawn = [(expert[name] - each) * (torch.rand(each.shape) < 0.5) * 2 for expert in experts]
    merged[name] = each + sum(drawn) / len(drawn)
save(merged)
