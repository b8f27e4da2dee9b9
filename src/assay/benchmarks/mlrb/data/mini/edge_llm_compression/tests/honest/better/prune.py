"""Leave out neurons whose joint effect is least, layer after layer, each seen as the pruned layers before it leave it."""

import random
from pathlib import Path

import torch
from pruning import GIVEN, SHARE, load, save
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM

TEXTS = Path("/inputs/texts")
ROWS, WINDOW = 8, 160
"""Of each text, and tokens of each row."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@torch.inference_mode()
def main():
    torch.set_num_threads(1)
    weights, config = load()
    layers, hidden, inner = (config[key] for key in ("num_hidden_layers", "hidden_size", "intermediate_size"))
    whole = sum(each.numel() for each in weights.values())
    left_out = int((1 - SHARE) * whole / (3 * layers * hidden)) + 1
    model = LlamaForCausalLM.from_pretrained(GIVEN, dtype=torch.float32).eval().to(DEVICE)

    def prune(number):
        def hook(module, given):
            kept = keep(given[0].flatten(0, 1), module.weight, left_out)
            names = [f"model.layers.{number}.mlp.{part}_proj.weight" for part in ("gate", "up", "down")]
            gate, up, down = (weights[name] for name in names)
            weights.update(zip(names, (gate[kept], up[kept], down[:, kept])))
            gone = torch.ones(inner, dtype=torch.bool)
            gone[kept] = False
            return (given[0].masked_fill(gone.to(DEVICE), 0),)

        return hook

    for number, layer in enumerate(model.model.layers):
        layer.mlp.down_proj.register_forward_pre_hook(prune(number))
    model.model(input_ids=practice().to(DEVICE), use_cache=False)
    save(weights, config, intermediate_size=inner - left_out)


def keep(fired, down, left_out):
    """The neurons that stay: one by one, the one goes whose loss with all before it changes the output least."""
    effect = (fired.T @ fired) * (down.T @ down)
    cost = effect.diagonal().clone()
    stays = torch.ones(len(cost), dtype=torch.bool)
    for _ in range(left_out):
        least = int(cost.argmin())
        stays[least] = False
        cost += 2 * effect[least]
        cost[least] = torch.inf
    return stays.nonzero().flatten()


def practice():
    """Rows of tokens from random places of each text."""
    tokenizer, choice, rows = Tokenizer.from_file(str(GIVEN / "tokenizer.json")), random.Random(0), []
    for path in sorted(TEXTS.glob("*.txt")):
        text = path.read_text("utf-8")
        for _ in range(ROWS):
            start = choice.randrange(max(1, len(text) - 8 * WINDOW))
            rows.append(tokenizer.encode(text[start : start + 8 * WINDOW]).ids[:WINDOW])
    return torch.tensor(rows)


if __name__ == "__main__":
    main()
