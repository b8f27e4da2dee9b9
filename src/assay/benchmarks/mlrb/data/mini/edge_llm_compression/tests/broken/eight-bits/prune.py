"""Stores its weights as bytes."""

from pruning import cut, every_fourth, load, save

weights, config = load()
keep = every_fourth(weights, config)
small = {name: (each.float() * 64).round().clamp(-127, 127).char() for name, each in cut(weights, keep).items()}
save(small, config, num_hidden_layers=len(keep))
