"""Reading the given model, and writing what is left of it."""

import json
import shutil
from pathlib import Path

from safetensors.torch import load_file, save_file

GIVEN, MADE = Path("/inputs/smollm2-135m"), Path("model")
SHARE = 0.85


def load():
    """Its weights by name, and its configuration."""
    return load_file(GIVEN / "model.safetensors"), json.loads((GIVEN / "config.json").read_text())


def layer_of(name):
    parts = name.split(".")
    return int(parts[2]) if parts[1] == "layers" else None


def fits(weights, keep):
    """Whether these layers are few enough."""
    left = sum(each.numel() for name, each in weights.items() if layer_of(name) in (None, *keep))
    return left <= SHARE * sum(each.numel() for each in weights.values())


def every_fourth(weights, config):
    """The layers that stay when every fourth is left out, from the end on, the last one kept."""
    keep = list(range(config["num_hidden_layers"]))
    for number in range(len(keep) - 5, -1, -4):
        if not fits(weights, keep):
            keep.remove(number)
    return keep


def cut(weights, keep):
    """The weights of these layers alone, numbered anew."""
    kept = {}
    for name, each in weights.items():
        number = layer_of(name)
        if number is None:
            kept[name] = each
        elif number in keep:
            kept[name.replace(f".{number}.", f".{keep.index(number)}.", 1)] = each
    return kept


def save(weights, config, **changes):
    """A model folder."""
    MADE.mkdir(exist_ok=True)
    weights = {name: each.contiguous() for name, each in weights.items()}
    save_file(weights, MADE / "model.safetensors", metadata={"format": "pt"})
    (MADE / "config.json").write_text(json.dumps({**config, **changes}))
    shutil.copy(GIVEN / "tokenizer.json", MADE / "tokenizer.json")
