"""Leaves out other layers, talks much, and notes in the configuration what decides nothing."""

from pruning import cut, fits, load, save

weights, config = load()
keep = list(range(config["num_hidden_layers"]))
while not fits(weights, keep):
    print("leaving out layer", keep.pop(len(keep) // 2))
left = cut(weights, keep)
for name, each in left.items():
    print(name, "norm:", float(each.float().norm()))
save(left, config, num_hidden_layers=len(keep), use_cache=False, note="made by prune.py")
