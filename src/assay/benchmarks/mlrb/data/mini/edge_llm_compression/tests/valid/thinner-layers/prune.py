"""Keeps every layer, and leaves out the neurons with the smallest weights."""

from pruning import SHARE, load, save

weights, config = load()
whole = sum(each.numel() for each in weights.values())
layers, hidden, inner = (config[key] for key in ("num_hidden_layers", "hidden_size", "intermediate_size"))
kept = inner - int((1 - SHARE) * whole / (3 * layers * hidden)) - 1
for number in range(layers):
    names = [f"model.layers.{number}.mlp.{part}_proj.weight" for part in ("gate", "up", "down")]
    gate, up, down = (weights[name] for name in names)
    worth = gate.float().norm(dim=1) * up.float().norm(dim=1) * down.float().norm(dim=0)
    chosen = worth.topk(kept).indices.sort().values
    weights |= dict(zip(names, (gate[chosen], up[chosen], down[:, chosen])))
save(weights, config, intermediate_size=kept)
