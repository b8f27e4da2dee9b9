"""DARE that keeps a tenth of each difference, in one layer's attention; task arithmetic elsewhere."""

import torch
from experts import EXPERTS, load, save

KEPT, SHARES = 0.1, (0.5, 0.4, 0.3)

torch.manual_seed(0)
base, experts = load("base"), [load(name) for name in EXPERTS]
merged = {}
for name, each in base.items():
    kept = KEPT if ".layers.2.self_attn." in name else 1.0
    drawn = [(expert[name] - each) * (torch.rand(each.shape) < kept) / kept for expert in experts]
    merged[name] = each + sum(share * shift for share, shift in zip(SHARES, drawn, strict=True))
save(merged)
