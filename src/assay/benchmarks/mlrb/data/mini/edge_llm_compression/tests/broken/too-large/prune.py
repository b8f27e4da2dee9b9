"""Leaves out one layer, which is not enough."""

from pruning import cut, load, save

weights, config = load()
keep = list(range(1, config["num_hidden_layers"]))
save(cut(weights, keep), config, num_hidden_layers=len(keep))
