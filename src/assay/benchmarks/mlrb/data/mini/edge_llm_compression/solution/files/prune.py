"""Leave out the neurons that do least on the given texts: how strongly they fire, times what they then write."""

import random
from pathlib import Path

import torch
from pruning import GIVEN, SHARE, load, save
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM

TEXTS = Path("/inputs/texts")
ROWS, WINDOW = 4, 160
"""Of each text, and tokens of each row."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def main():
    torch.set_num_threads(1)
    weights, config = load()
    layers, hidden, inner = (config[key] for key in ("num_hidden_layers", "hidden_size", "intermediate_size"))
    whole = sum(each.numel() for each in weights.values())
    kept = inner - int((1 - SHARE) * whole / (3 * layers * hidden)) - 1
    for number, fired in enumerate(firing()):
        names = [f"model.layers.{number}.mlp.{part}_proj.weight" for part in ("gate", "up", "down")]
        gate, up, down = (weights[name] for name in names)
        chosen = (fired * down.float().norm(dim=0)).topk(kept).indices.sort().values
        weights |= dict(zip(names, (gate[chosen], up[chosen], down[:, chosen])))
    save(weights, config, intermediate_size=kept)


@torch.inference_mode()
def firing():
    """How strongly each neuron of each layer fires: the root of its mean square."""
    model = LlamaForCausalLM.from_pretrained(GIVEN, dtype=torch.float32).eval().to(DEVICE)
    squares = [0.0] * len(model.model.layers)

    def watch(number):
        def hook(module, given):
            squares[number] += (given[0] ** 2).sum(dim=(0, 1))

        return hook

    for number, layer in enumerate(model.model.layers):
        layer.mlp.down_proj.register_forward_pre_hook(watch(number))
    for rows in practice().split(ROWS):
        model.model(input_ids=rows.to(DEVICE), use_cache=False)
    return [each.sqrt().cpu() for each in squares]


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
