"""Leaves out layers, and keeps of each matrix that writes keys or values its leading directions, as one matrix."""

import torch
from pruning import cut, every_fourth, load, save

KEPT = 0.75

torch.set_num_threads(1)
weights, config = load()
keep = every_fourth(weights, config)
left = cut(weights, keep)
for name, each in left.items():
    if name.endswith(("k_proj.weight", "v_proj.weight")):
        one, sizes, other = torch.linalg.svd(each.float(), full_matrices=False)
        sizes[int(KEPT * len(sizes)) :] = 0
        left[name] = (one * sizes @ other).half()
save(left, config, num_hidden_layers=len(keep))
